/** Generated lines: secrets in the shape of each rule, and ordinary lines of logs and events. */

import fc from 'fast-check';

/** A text that a reader would take for a secret, without white space or punctuation that ends a bare value. */
export const bareSecret: fc.Arbitrary<string> = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9]{3,12}$/),
    fc.constantFrom('', '!', '_', '-', '.', '/', '+', '$', '*', '~', '^', '@', ':', 'é', '密'),
    fc.stringMatching(/^[A-Za-z0-9]{3,12}$/),
  )
  .map(([before, sign, after]) => `Zq9${before}${sign}${after}7x`);

/** As it may stand in quotes or behind a colon: white space, separators and brackets too. */
export const looseSecret: fc.Arbitrary<string> = fc
  .tuple(bareSecret, fc.constantFrom(' ', ', ', '; ', '=', '&', '#', '(', ')', '|', '?'), bareSecret)
  .map((parts) => parts.join(''));

/** As encoding leaves it. */
export const encodedSecret: fc.Arbitrary<string> = fc.stringMatching(/^Zq9[A-Za-z0-9._~-]{4,20}7x$/);

const NAMES = [
  'password',
  'PASSWORD',
  'db_password',
  'DbPassword',
  'PGPASSWORD',
  'passwd',
  'pwd',
  'MYSQL_PWD',
  'passphrase',
  'pass',
  'DB_PASS',
  'secret',
  'clientSecret',
  'client-secret',
  'api_key',
  'x-api-key',
  'apiKey',
  'APIKey',
  'accessKey',
  'aws_secret_access_key',
  'private.key',
  'privateKey',
  'credential',
  'credentials',
  'token',
  'accessToken',
  'GITHUB_TOKEN',
  'auth',
  'Authorization',
  'bearer',
  'session',
  'cookie',
  'spring.datasource.password',
] as const;

export const secretName: fc.Arbitrary<string> = fc.constantFrom(...NAMES);

const quoted = (secret: string): string => JSON.stringify(secret).slice(1, -1);

export interface Shape {
  readonly rule: string;
  readonly secret: fc.Arbitrary<string>;
  readonly line: (secret: string, name: string) => string;
  /** Takes the rest of the line with it, so that nothing may be expected of what follows. */
  readonly toEnd?: boolean;
  /** Only at the start of a text. */
  readonly initial?: boolean;
}

const bare = (rule: string, line: Shape['line']): Shape => ({ rule, secret: bareSecret, line });
const loose = (rule: string, line: Shape['line']): Shape => ({ rule, secret: looseSecret, line });

const bitsOf = (text: string): number => {
  const counts = [...new Set(text)].map((c) => text.split(c).length - 1);
  return counts.reduce((sum, n) => sum - (n / text.length) * Math.log2(n / text.length), 0);
};

/** Base64 of bytes that are as random as bytes mostly are: each class of characters, no words, few repeats. */
const random = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: min, maxLength: max })
    .map((bytes) => Buffer.from(bytes).toString('base64').replaceAll('=', ''))
    .filter(
      (text) =>
        bitsOf(text) > 3.8 &&
        !/[a-z]{3}|\//.test(text) &&
        [/[A-Z]/g, /[a-z]/g, /\d/g].every((pattern) => (text.match(pattern) ?? []).length >= 2),
    );

const word = (pattern: RegExp): fc.Arbitrary<string> => fc.stringMatching(pattern);

export const SHAPES: readonly Shape[] = [
  { ...loose('SZ-02 key: value', (s, n) => `${n}: ${s}`), toEnd: true },
  { ...loose('SZ-02 key:value', (s, n) => `${n}:${s}`), toEnd: true },
  loose('SZ-02 key: "value"', (s, n) => `${n}: "${quoted(s)}"`),
  loose("SZ-02 key: 'value'", (s, n) => `${n}: '${s}'`),
  bare('SZ-03 key=value', (s, n) => `${n}=${s}`),
  bare('SZ-03 export', (s, n) => `export ${n}=${s}`),
  loose('SZ-03 key="value"', (s, n) => `${n}="${quoted(s)}"`),
  loose("SZ-03 key='value'", (s, n) => `${n}='${s}'`),
  bare('SZ-03 form field', (s, n) => `a[${n}]=${s}`),
  loose('SZ-06 JSON', (s, n) => JSON.stringify({ id: 1, [n]: s, b: true })),
  loose('SZ-06 spaced JSON', (s, n) => `{ "${n}" : "${quoted(s)}" }`),
  loose('SZ-06 escaped JSON', (s, n) => JSON.stringify({ body: JSON.stringify({ [n]: s, b: true }) })),
  loose('SZ-06 escaped JSON without quotes around', (s, n) => quoted(JSON.stringify({ [n]: s, b: 1 }))),
  loose('SZ-07 Ruby', (s, n) => `'${n}' => '${s}', 'a' => 1`),
  loose('SZ-07 symbol', (s, n) => `{:${n}=>"${quoted(s)}"}`),
  { ...bare('SZ-08 header', (s) => `Authorization: Basic ${s}`), toEnd: true },
  { ...loose('SZ-08 header of any scheme', (s) => `authorization: Custom ${s}`), toEnd: true },
  bare('SZ-08 JSON', (s) => `{"Authorization":"ApiKey ${quoted(s)}"}`),
  bare('SZ-08 assignment', (s) => `Authorization=Custom ${s}`),
  bare('SZ-08 Go map', (s) => `map[Accept:[*/*] Authorization:[Basic ${s}] X:[y]]`),
  bare('SZ-08 json.Marshal', (s) => JSON.stringify({ Authorization: [`Basic ${s}`], Accept: ['*/*'] })),
  bare('SZ-08 escaped json.Marshal', (s) =>
    JSON.stringify(JSON.stringify({ Authorization: [`Basic ${s}`], A: ['b'] })),
  ),
  bare(
    'SZ-08 Go %#v',
    (s) => `http.Header{"Authorization":[]string{"Basic ${quoted(s)}"}, "A":[]string{"b"}}`,
  ),
  bare(
    'SZ-08 escaped Go %#v',
    (s) => `msg="Header{\\"Authorization\\":[]string{\\"Basic ${quoted(quoted(s))}\\"}}"`,
  ),
  { ...bare('SZ-09 Cookie', (s) => `Cookie: theme=dark; sid=${s}; b=c`), toEnd: true },
  { ...bare('SZ-09 Set-Cookie', (s) => `Set-Cookie: sid=${s}; Path=/`), toEnd: true },
  bare('SZ-09 Go map', (s) => `map[Cookie:[sid=${s}; a=b] Accept:[*/*]]`),
  bare('SZ-10 Bearer', (s) => `got Bearer ${s}`),
  { rule: 'SZ-10 Basic', secret: encodedSecret, line: (s) => `got basic ${s}` },
  bare('SZ-10 under a name', (s, n) => `${n}=Bearer ${s}`),
  bare('SZ-10 flag', (s) => `--token Bearer ${s}`),
  { rule: 'SZ-11 %3D', secret: encodedSecret, line: (s, n) => `${n}%3D${s}` },
  { rule: 'SZ-11 %26', secret: encodedSecret, line: (s, n) => `a%3Db%26${n}%3D${s}%26c%3Dd` },
  { rule: 'SZ-11 %3A%20', secret: encodedSecret, line: (s, n) => `${n}%3A%20${s}` },
  { rule: 'SZ-11 JSON', secret: encodedSecret, line: (s, n) => `%7B%22${n}%22%3A%22${s}%22%7D` },
  { rule: 'SZ-11 %3F', secret: encodedSecret, line: (s, n) => `/login%3F${n}%3D${s}` },
  bare('SZ-12 logfmt', (s, n) => `level=info msg="login ${n}=${s} ok" user=bob`),
  { rule: 'SZ-12 query', secret: encodedSecret, line: (s, n) => `url=https://h.io/p?a=b&${n}=${s}&c=d` },
  { rule: 'SZ-12 encoded form', secret: encodedSecret, line: (s, n) => `body=user%3Dbob%26${n}%3D${s}` },
  bare('SZ-12 two levels', (s, n) => `msg="call \\"login ${n}=${s} done\\" ended" a=b`),
  bare('SZ-13 --flag=x', (s) => `run --db-password=${s} --v=2`),
  bare('SZ-13 --flag x', (s) => `run --client-secret ${s} --v=2`),
  bare('SZ-13 -flag x', (s) => `run -token ${s} -v 2`),
  loose('SZ-13 --flag "x"', (s) => `run --github-token "${quoted(s)}" --v=2`),
  loose('SZ-13 list', (s) => JSON.stringify({ args: ['run', '--api-key', s, '--v=2'] })),
  bare('SZ-14 PEM', (s) => `-----BEGIN EC PRIVATE KEY-----\\n${s}\\n-----END EC PRIVATE KEY-----`),
  bare('SZ-14 PEM without an end', (s) => `-----BEGIN PRIVATE KEY----- ${s}`),
  {
    rule: 'SZ-15 URL',
    secret: encodedSecret,
    line: (s) => `postgres://app:${s}@db.shop:5432/app?sslmode=disable`,
  },
  { rule: 'SZ-15 no user', secret: encodedSecret, line: (s) => `rediss://:${s}@cache:6380/0` },
  { rule: 'SZ-15 token as user', secret: encodedSecret, line: (s) => `https://${s}@github.com/acme/app` },
  {
    rule: 'SZ-16 JWT',
    secret: word(/^eyJ[A-Za-z0-9_-]{12,40}\.eyJ[A-Za-z0-9_-]{12,40}\.[A-Za-z0-9_-]{20,40}$/),
    line: (s) => s,
  },
  { rule: 'SZ-16 Slack', secret: word(/^xox[abprs]-\d{10}-[A-Za-z0-9]{12,24}$/), line: (s) => s },
  { rule: 'SZ-16 AWS', secret: word(/^AKIA[A-Z0-9]{16}$/), line: (s) => s },
  { rule: 'SZ-16 Vault', secret: word(/^hvs\.[A-Za-z0-9_-]{24,90}$/), line: (s) => s },
  { rule: 'SZ-16 sk-', secret: word(/^sk-[A-Z][A-Za-z0-9]{19,44}$/), line: (s) => s },
  { rule: 'SZ-16 GitHub', secret: word(/^ghp_[A-Za-z0-9]{36}$/), line: (s) => s },
  { rule: 'SZ-17 random', secret: random(15, 60), line: (s) => s },
  { ...loose('SZ-21 key = value at the start', (s) => `password = ${s}`), toEnd: true, initial: true },
];

const pick = fc.constantFrom;
const hex = (length: number) => word(new RegExp(`^[0-9a-f]{${length}}$`));
// No name starts as Slack's tokens do.
const podName = word(/^[a-w][a-z]{2,9}-[456789bcdf]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
const host = pick('10.0.0.7', 'api.shop.svc.cluster.local', '192.168.1.10', 'node-1', 'registry.example.com');
const uuid = fc.uuid();
const path = pick(
  '/var/lib/kubelet/pods/6f5e4d3c-2b1a-4c3d-8e9f-0a1b2c3d4e5f/volumes/kubernetes.io~projected/kube-api-access-x7k2p',
  '/etc/kubernetes/pki/apiserver.crt',
  '/run/secrets/kubernetes.io/serviceaccount/token',
  '/apis/apps/v1/namespaces/shop/deployments/api-server',
  'github.com/Azure/azure-sdk-for-go/sdk/azidentity/DefaultAzureCredential.go',
  'src/main/java/com/example/shop/OrderControllerAdvice2Test.java',
);
const time = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const count = fc.nat(999_999).map(String);
const plainName = pick(
  'level',
  'user',
  'status',
  'token_count',
  'tokenCount',
  'auth_method',
  'password_policy',
  'session_timeout',
  'secretName',
  'cookie_domain',
  'trace_id',
  'replicas',
  'author',
  'bypass',
  'keys_total',
);
const plainValue = fc.oneof(
  pick('info', 'bob', 'ok', 'ldap', 'strict', '30s', 'shop'),
  count,
  uuid,
  hex(32),
  podName,
  host,
);
const harmless = pick(
  'token: 5',
  'auth: true',
  'cookie: none',
  'first_pass: true',
  'session=closed',
  'auth: failed for user bob',
  'token: expired',
);

/** Lines as programs and Kubernetes write them, with nothing secret in them. */
export const ordinaryLine: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(time, pick('INFO', 'WARN', 'ERROR'), podName, count)
    .map(([t, l, p, n]) => `${t} ${l} [main] ${p} handled ${n} requests`),
  fc
    .tuple(count, path)
    .map(([n, p]) => `E0101 12:00:00.000000 1 reflector.go:${n}] ${p}: Failed to watch *v1.Secret: unknown`),
  fc
    .array(fc.tuple(plainName, plainValue), { minLength: 1, maxLength: 6 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join(' ')),
  fc
    .array(fc.tuple(plainName, plainValue), { minLength: 1, maxLength: 6 })
    .map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
  fc
    .array(fc.tuple(plainName, plainValue), { minLength: 1, maxLength: 3 })
    .map((pairs) => pairs.map((pair) => pair.join(': ')).join(', ')),
  fc
    .tuple(host, time, count)
    .map(
      ([h, t, n]) =>
        `${h} - - [${t}] "GET /orders?page=2&sort=-age HTTP/1.1" 200 ${n} "-" "Mozilla/5.0 (X11; Linux x86_64)"`,
    ),
  fc
    .tuple(podName, host)
    .map(
      ([p, h]) =>
        `Readiness probe failed: Get "http://${h}:8080/healthz": dial tcp ${h}:8080: connect: connection refused (${p})`,
    ),
  fc
    .tuple(hex(64), host)
    .map(
      ([d, h]) =>
        `Successfully pulled image "${h}:5000/acme/auth@sha256:${d}" in 1.2s (1.2s including waiting)`,
    ),
  fc.tuple(hex(40), uuid, hex(16)).map(([sha, id, span]) => `deployed ${sha} request ${id} span ${span}`),
  fc.tuple(podName, path).map(([p, f]) => `${p}: open ${f}: no such file or directory`),
  fc
    .tuple(pick('\tat ', '  File '), path)
    .map(([a, p]) => `${a}${p}:42 in com.example.shop.OrderControllerAdvice2Test.loadsManyOrdersAtOnce`),
  fc.tuple(plainName, harmless).map(([n, h]) => `${n} ${h}`),
  fc
    .tuple(podName, count)
    .map(
      ([p, n]) =>
        `Scaled up replica set ${p} to ${n} from ${n}; run --password-file /x --token-ttl 5m --sort-key a`,
    ),
);
