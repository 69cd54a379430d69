import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * A fresh self-signed certificate for 127.0.0.1 and localhost with its key, both PEM; as a CA it vouches for itself.
 * Written in DER by hand (RFC 5280, RFC 8410), because a fresh machine has no openssl.
 */
export function selfSigned(): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const algorithm = sequence(ED25519);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('proxima spec')))));
  const day = (offset: number): Buffer => {
    const time = new Date(Date.now() + offset * 86_400_000).toISOString();
    return der(0x17, Buffer.from(`${time.slice(2, 19).replace(/\D/g, '')}Z`));
  };
  const names = sequence(der(0x87, Buffer.of(127, 0, 0, 1)), der(0x82, Buffer.from('localhost')));
  const authority = sequence(TRUE);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    sequence(day(-1), day(1)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      sequence(
        sequence(ALTERNATIVE_NAMES, der(0x04, names)),
        sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, authority)),
      ),
    ),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign(null, body, privateKey)]));
  const encoded =
    sequence(body, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    certificate: ['-----BEGIN CERTIFICATE-----', ...encoded, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content]);
  const head = length < 256 ? Buffer.of(tag, 0x81, length) : Buffer.of(tag, 0x82, length >> 8, length & 255);
  return Buffer.concat([head, content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const TRUE = Buffer.of(0x01, 0x01, 0xff);
/** Object identifiers 1.3.101.112, 2.5.4.3, 2.5.29.17 and 2.5.29.19. */
const ED25519 = Buffer.from('06032b6570', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
