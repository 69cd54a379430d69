import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scrubRepoUrl, scrubServerUrl } from '../../../rules/scrub/repoUrl.ts';

describe('URLs of repositories', () => {
  const shown: [string, string][] = [
    ['https://u:p@h/r?x#y', 'https://h/r'],
    ['https://github.com/acme/app.git', 'https://github.com/acme/app.git'],
    ['https://ghp_0123456789abcdefABCD@github.com/acme/app', 'https://github.com/acme/app'],
    ['https://git.example.com:8443/a/b?access_token=hunter2', 'https://git.example.com:8443/a/b'],
    ['ssh://git@github.com/acme/app.git', 'ssh://github.com/acme/app.git'],
    ['git@github.com:acme/app.git', 'ssh://github.com/acme/app.git'],
    ['oci://registry.example.com/charts', 'oci://registry.example.com/charts'],
    ['registry-1.docker.io/bitnamicharts', 'registry-1.docker.io/bitnamicharts'],
    ['https://charts.example.com', 'https://charts.example.com'],
    ['https://charts.example.com/', 'https://charts.example.com/'],
    ['https://u:p@charts.example.com?x', 'https://charts.example.com'],
  ];
  for (const [url, expected] of shown) {
    it(`shows ${expected} of ${url} (AA-06)`, () => assert.equal(scrubRepoUrl(url), expected));
  }

  const refused = [
    '',
    'not a url',
    '://h/r',
    'https://',
    'https:///r',
    'https://u:p@h:port/r',
    'https://h/r\n?token=hunter2',
    'https:\\\\u:p@h\\r',
    'https://h/r%3Ftoken=hunter2',
    'https://h/ghp_0123456789abcdefABCD/app',
    'bob:hunter2',
    'bob:hunter2@h/r',
    'git@github.com:acme/app?token=hunter2',
    '%zz',
    `https://h/${'r'.repeat(3000)}`,
  ];
  for (const url of refused) {
    it(`shows nothing of ${JSON.stringify(url).slice(0, 60)} (AA-06)`, () =>
      assert.equal(scrubRepoUrl(url), null));
  }

  it('never shows a password, a query or a fragment (AA-06)', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9!$*,;=~%^+]{6,24}$/).map((text) => `Zq7${text}`);
    const place = fc.constantFrom<(secret: string) => string>(
      (s) => `https://u:${s}@h.io/r`,
      (s) => `https://${s}@h.io/r`,
      (s) => `ssh://${s}:x@h.io:22/r`,
      (s) => `https://h.io/r?token=${s}`,
      (s) => `https://h.io/r#${s}`,
      (s) => `git:${s}@h.io:a/b`,
      (s) => `${s}@h.io:a/b`,
      (s) => `h.io/r?x=${s}`,
    );
    fc.assert(
      fc.property(secret, place, (text, at) => {
        assert.ok(!(scrubRepoUrl(at(text)) ?? '').includes(text));
      }),
    );
  });

  it('changes nothing more when it is asked again', () => {
    for (const [, expected] of shown) assert.equal(scrubRepoUrl(expected), expected);
  });
});

describe('URLs of API servers', () => {
  it('keeps the text by which the own cluster is known (AA-05)', () => {
    assert.equal(scrubServerUrl('https://kubernetes.default.svc'), 'https://kubernetes.default.svc');
  });
  it('drops user, password and query (AA-05)', () => {
    assert.equal(scrubServerUrl('https://u:p@10.0.0.1:6443/?x=1'), 'https://10.0.0.1:6443/');
  });
  it('shows nothing but http and https', () => {
    for (const url of ['ssh://h/r', 'git@h:r', 'production', '']) assert.equal(scrubServerUrl(url), null);
  });
});
