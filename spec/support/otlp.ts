/** Reads what an OTLP exporter sends: ExportTraceServiceRequest of opentelemetry-proto, as far as specs look at it. */

export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly failed: boolean;
}

/** Fields of one protobuf message by their number; varints as numbers, everything with a length as bytes. */
function fieldsOf(message: Buffer): Map<number, (number | Buffer)[]> {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const type = key % 8;
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint());
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const messages = (message: Buffer, number: number): Buffer[] =>
  (fieldsOf(message).get(number) ?? []).filter((value) => typeof value !== 'number');

const RESOURCE_SPANS = 1;
const SCOPE_SPANS = 2;
const SPANS = 2;

/** Every span of one request. */
export const spansOf = (request: Buffer): SentSpan[] =>
  messages(request, RESOURCE_SPANS)
    .flatMap((resource) => messages(resource, SCOPE_SPANS))
    .flatMap((scope) => messages(scope, SPANS))
    .map((span) => {
      const hex = (number: number): string => messages(span, number)[0]?.toString('hex') ?? '';
      const [status] = messages(span, 15);
      return {
        traceId: hex(1),
        spanId: hex(2),
        parentId: hex(4),
        name: messages(span, 5)[0]?.toString() ?? '',
        failed: status !== undefined && fieldsOf(status).get(3)?.[0] === 2,
      };
    });
