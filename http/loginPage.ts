/** The sign-in page: one form, one short script. */

import { escapeHtml, plainPage } from './plainPage.ts';

/**
 * Fills the form from `#token=` and takes it out of the address, so that it stays in no history. It never submits: a
 * link must not sign anyone in. Any other fragment belongs to the page that sent the browser here and goes back with it.
 * Signing out sends the CSRF header, which only our own page knows.
 */
const SCRIPT = `
const given = new URLSearchParams(location.hash.slice(1)).get('token');
const field = document.getElementById('token');
if (given !== null) {
  history.replaceState(null, '', location.pathname + location.search);
  if (field !== null) field.value = given;
} else if (field !== null && location.hash.startsWith('#/')) {
  const back = new URL(field.form.action);
  const next = back.searchParams.get('next');
  if (next !== null) {
    back.searchParams.set('next', next + location.hash);
    field.form.action = back.pathname + back.search;
  }
}
const out = document.getElementById('sign-out');
if (out !== null) {
  out.addEventListener('click', async () => {
    await fetch('/logout', { method: 'POST', headers: { 'X-Proxima-Csrf': out.dataset.csrf } });
    location.reload();
  });
}
`;

export interface LoginShown {
  /** Null: nobody is. */
  readonly signedIn: { readonly name: string; readonly csrf: string } | null;
  /** A path of this server to go on to; null: where the caller belongs. */
  readonly next: string | null;
  readonly problem?: string;
}

const form = ({ next, problem }: LoginShown): string => `
<p class="dim">Sign in with a token of your caller.</p>
<div class="card"><form method="post" action="/login${next === null ? '' : `?next=${encodeURIComponent(next)}`}">
  <label for="token">Token</label>
  <input id="token" name="token" type="password" autocomplete="off" required maxlength="256">
  <button type="submit">Sign in</button>${
    problem === undefined ? '' : `\n  <p class="problem" role="alert">${escapeHtml(problem)}</p>`
  }
</form></div>`;

const account = (signedIn: { name: string; csrf: string }, next: string | null): string => `
<p>Signed in as ${escapeHtml(signedIn.name)}.</p>
<div class="card">
  <a class="button" href="${escapeHtml(next ?? '/')}">Go on</a>
  <button type="button" class="quiet" id="sign-out" data-csrf="${escapeHtml(signedIn.csrf)}">Sign out</button>
</div>`;

/** The page and its Content-Security-Policy. With someone signed in it offers to sign out, else to sign in. */
export const loginPage = (shown: LoginShown): { html: string; policy: string } =>
  plainPage({
    body: shown.signedIn === null ? form(shown) : account(shown.signedIn, shown.next),
    script: SCRIPT,
  });
