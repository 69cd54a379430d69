/** The sign-in page: one form, one short script, nothing from elsewhere. */

import { createHash } from 'node:crypto';

/**
 * Fills the form from `#token=` and takes it out of the address, so that it stays in no history. It never submits: a
 * link must not sign anyone in. Signing out sends the CSRF header, which only our own page knows.
 */
const SCRIPT = `
const given = new URLSearchParams(location.hash.slice(1)).get('token');
const field = document.getElementById('token');
if (given !== null) {
  history.replaceState(null, '', location.pathname);
  if (field !== null) field.value = given;
}
const out = document.getElementById('sign-out');
if (out !== null) {
  out.addEventListener('click', async () => {
    await fetch('/logout', { method: 'POST', headers: { 'X-Proxima-Csrf': out.dataset.csrf } });
    location.reload();
  });
}
`;

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 24rem; padding: 0 1rem; color: #1d2733; }
h1 { font-size: 1.25rem; }
input, button { font: inherit; box-sizing: border-box; width: 100%; padding: .5rem; margin-top: .5rem; }
.problem { color: #a11; }
`;

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  `script-src ${sha256(SCRIPT)}`,
  `style-src ${sha256(STYLE)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

const form = (problem: string | null): string => `
<form method="post" action="/login">
  <label for="token">Token</label>
  <input id="token" name="token" type="password" autocomplete="off" required maxlength="256">
  <button type="submit">Sign in</button>
</form>${problem === null ? '' : `\n<p class="problem" role="alert">${escapeHtml(problem)}</p>`}`;

const account = (signedIn: { name: string; csrf: string }): string => `
<p>Signed in as ${escapeHtml(signedIn.name)}.</p>
<button type="button" id="sign-out" data-csrf="${escapeHtml(signedIn.csrf)}">Sign out</button>`;

/** The page and its Content-Security-Policy. With someone signed in it offers to sign out, else to sign in. */
export function loginPage(
  signedIn: { readonly name: string; readonly csrf: string } | null,
  problem: string | null,
): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Proxima Inventory</title>
<style>${STYLE}</style>
<h1>Proxima Inventory</h1>${signedIn === null ? form(problem) : account(signedIn)}
<script>${SCRIPT}</script>
</html>
`;
  return { html, policy: POLICY };
}
