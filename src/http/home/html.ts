/** What the pages of the server have in common: their frame, style and headers. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const style = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #fbfaf7; --quiet: #625d55; --line: #ddd8cd; --link: #0b5394; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceae5; --paper: #191816; --quiet: #aaa399; --line: #3b3833; --link: #8fc1f5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { font: 600 2.25rem/1.2 Georgia, serif; margin: 0 0 .5rem; }
h2 { font: 600 1.3rem/1.3 Georgia, serif; margin: 2.5rem 0 .75rem; }
p, ol { margin: 0 0 1rem; }
.quiet { color: var(--quiet); }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; }
thead th { color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 400; }
.number { padding-right: 0; text-align: right; font-variant-numeric: tabular-nums; }
ol { padding-left: 1.4rem; }
li { margin-bottom: .9rem; }
code { font: .875rem/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
li a { display: block; }
`;

/** Content security policy that allows nothing except the page's own style. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns a whole page. `main` is HTML. */
export function htmlPage(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

/** Sets the headers that every page has. */
export function setPageHeaders(response: ServerResponse): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}
