/** Small pages for people: one style, at most one short script, nothing from elsewhere. */

import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #16202b; --dim: #566575; --line: #c9d2db; --paper: #f6f8fa; --card: #fff;
  --act: #0b5cad; --on-act: #fff; --bad: #a4161a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ecf2; --dim: #9aa8b7; --line: #33404d; --paper: #0f151b;
  --card: #161e26; --act: #6cb2ff; --on-act: #08131f; --bad: #ff9a95; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 27rem; margin: 14vh auto 3rem; padding: 0 1rem; }
h1 { font-size: 1.2rem; font-weight: 600; letter-spacing: -.01em; margin: 0 0 .25rem; }
p { margin: .5rem 0; }
.dim { color: var(--dim); }
.problem { color: var(--bad); font-weight: 500; }
.card { margin-top: 1.25rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
label { font-weight: 500; }
input, button, .button { font: inherit; width: 100%; padding: .55rem .7rem; margin-top: .5rem; border-radius: 6px;
  border: 1px solid var(--line); background: var(--paper); color: var(--ink); }
button, .button { display: block; text-align: center; text-decoration: none; border-color: var(--act);
  background: var(--act); color: var(--on-act); font-weight: 600; cursor: pointer; }
button.quiet { background: none; color: var(--act); }
a { color: var(--act); }
ul { list-style: none; margin: 0; padding: 0; }
li + li { margin-top: .9rem; }
li a { font-weight: 600; }
li span { display: block; color: var(--dim); }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px; }
`;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand between tags and in a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A page and the Content-Security-Policy that allows it its own style and script and nothing else. */
export function plainPage(o: { readonly body: string; readonly script?: string }): {
  readonly html: string;
  readonly policy: string;
} {
  const policy = [
    "default-src 'none'",
    ...(o.script === undefined ? [] : [`script-src ${sha256(o.script)}`]),
    `style-src ${sha256(STYLE)}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // The empty icon: without one a browser asks for a file that is not there.
    'img-src data:',
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Proxima Inventory</title>
<style>${STYLE}</style>
<main>
<h1>Proxima Inventory</h1>${o.body}
</main>${o.script === undefined ? '' : `\n<script>${o.script}</script>`}
</html>
`;
  return { html, policy };
}
