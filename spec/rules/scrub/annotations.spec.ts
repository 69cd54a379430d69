import assert from 'node:assert/strict';
import { scrubAnnotations } from '../../../rules/scrub/annotations.ts';

describe('annotations', () => {
  it('loses every copy of the object (AG-30)', () => {
    const copies = [
      'kubectl.kubernetes.io/last-applied-configuration',
      'qbec.io/last-applied',
      'banzaicloud.com/last-applied',
      'kapp.k14s.io/original',
      'kapp.k14s.io/original-diff-md5',
      'consul.hashicorp.com/original-pod',
      'objectset.rio.cattle.io/applied',
    ];
    assert.deepEqual(scrubAnnotations(Object.fromEntries(copies.map((key) => [key, 'H4sIAAAA']))), {});
  });

  const replaced: [string, string, string][] = [
    ['db-password', 'hunter2', '<redacted: 7 chars>'],
    ['example.com/apiKey', 'abc', '<redacted: 3 chars>'],
    ['openshift.io/token-secret.value', 'eyJhbGciOi', '<redacted: 10 chars>'],
    ['nginx.ingress.kubernetes.io/auth-secret', 'shop/basic-auth', '<redacted: 15 chars>'],
    ['example.com/token', 'swordfish', '<redacted: 9 chars>'],
    ['kubernetes.io/change-cause', 'app --token=abc --replicas=2', 'app --token=[REDACTED] --replicas=2'],
    [
      'ad.datadoghq.com/db.instances',
      '[{"user":"dd","password":"x"}]',
      '[{"user":"dd","password":"[REDACTED]"}]',
    ],
    [
      'nginx.ingress.kubernetes.io/configuration-snippet',
      'proxy_set_header Authorization "Basic dXNlcjpwYXNz";',
      'proxy_set_header Authorization "Basic [REDACTED]";',
    ],
    [
      'example.com/notes',
      'a\n-----BEGIN PRIVATE KEY-----\nMIIE\nabc\n-----END PRIVATE KEY-----\nb',
      'a\n[REDACTED]\nb',
    ],
  ];
  for (const [key, value, expected] of replaced) {
    it(`hides the secret of ${key} (AG-31)`, () => {
      const scrubbed = scrubAnnotations({ [key]: value });
      assert.deepEqual(scrubbed, { [key]: expected });
      assert.deepEqual(scrubAnnotations(scrubbed), scrubbed);
    });
  }

  it('keeps what is no secret, whatever its name resembles (SZ-18, SZ-19)', () => {
    const plain = {
      'deployment.kubernetes.io/revision': '4',
      'meta.helm.sh/release-name': 'shop',
      'checksum/secret': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'vault.hashicorp.com/agent-inject-token': 'true',
      'nginx.ingress.kubernetes.io/auth-url': 'https://auth.example.com/oauth2/auth',
      'nginx.ingress.kubernetes.io/session-cookie-name': 'route',
      'prometheus.io/port': '8080',
      'cni.projectcalico.org/podIP': '10.1.2.3/32',
      'kubernetes.io/config.seen': '2026-11-30T12:00:00.123456789Z',
      'example.com/empty-password': '',
    };
    assert.deepEqual(scrubAnnotations(plain), plain);
  });

  it('is empty where an object has none', () => {
    assert.deepEqual(scrubAnnotations(null), {});
    assert.deepEqual(scrubAnnotations(undefined), {});
  });

  it('leaves out what is not a string, and takes no name for a prototype', () => {
    const odd = JSON.parse('{"__proto__":"x","n":5,"o":{"password":"hunter2"}}');
    const scrubbed = scrubAnnotations(odd);
    assert.deepEqual(Object.keys(scrubbed), ['__proto__']);
    assert.equal(Object.getPrototypeOf(scrubbed), Object.prototype);
  });
});
