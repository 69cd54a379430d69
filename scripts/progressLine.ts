/** One line that says what a long start is doing: rewritten in a terminal, a line a step elsewhere. */

const TICK_MS = 1_000;

export function progressLine(out: NodeJS.WriteStream): { step(what: string): void; done(): void } {
  const started = Date.now();
  let current: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const seconds = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  const draw = (): void => void out.write(`\r\x1b[K${current} ... ${seconds()}`);
  return {
    step(what) {
      current = what;
      if (!out.isTTY) {
        out.write(`${what} ...\n`);
        return;
      }
      timer ??= setInterval(draw, TICK_MS);
      draw();
    },
    done() {
      clearInterval(timer);
      timer = undefined;
      if (out.isTTY && current !== undefined) out.write('\r\x1b[K');
      current = undefined;
    },
  };
}
