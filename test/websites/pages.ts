/** Reads the pages of a running website: what a visitor sees of them. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Page {
  status: number;
  /** The title. Next.js sends it in the head or behind the body, whichever is ready first. */
  title: string;
  /** The visible text, one line an element. */
  text: string;
  /** Digests of the pictures that come from the content API, by their path. */
  pictures: Record<string, string>;
}

/** Milliseconds for a page: the website is compiled page by page as it is asked for. */
const patience = 600_000;

export async function readPage(site: string, path: string, api: string, modules: string): Promise<Page> {
  const response = await fetch(site + path, { signal: AbortSignal.timeout(patience) });
  const html = withStreamedParts(await response.text());
  const { parse } = createRequire(join(modules, 'x.js'))('node-html-parser');
  const root = parse(html, { comment: false, blockTextElements: { script: false, style: false, template: false } });
  const title = root.querySelector('title')?.text ?? '';
  for (const hidden of root.querySelectorAll('script, style, template, noscript, title')) hidden.remove();
  const text = String(root.structuredText)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll(api, '');
  return { status: response.status, title, text, pictures: await readPictures(html, api) };
}

/**
 * Puts the parts that React sends late, behind the page, in their places, as its scripts do in a browser. A busy machine
 * sends other parts late than an idle one.
 */
export function withStreamedParts(html: string): string {
  let placed = html;
  const calls = html.matchAll(/\$R(?:[CR]\("(B:\w+)","(S:\w+)"[,)]|S\("(S:\w+)","(P:\w+)"\))/g);
  for (const [call, boundary, content, segment = content, place = boundary] of calls) {
    const opening = `<div hidden id="${segment}">`;
    const start = placed.indexOf(opening);
    // the script follows its part
    const end = placed.lastIndexOf('</div><script', placed.indexOf(call));
    const template = `<template id="${place}"></template>`;
    if (start < 0 || end < start || !placed.includes(template)) continue;
    const part = placed.slice(start + opening.length, end);
    placed = placed.slice(0, start) + placed.slice(end + '</div>'.length);
    const at = placed.indexOf(template);
    // what is shown until the content of a boundary arrives ends with a comment
    const after = boundary ? placed.indexOf('<!--/$-->', at) : at + template.length;
    placed = placed.slice(0, at) + part + placed.slice(after);
  }
  return placed;
}

/** Fetches every picture that a page takes from the content API, whatever attribute names it. */
async function readPictures(html: string, api: string): Promise<Record<string, string>> {
  const decoded = decodeURIComponent(html.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  const escaped = api.replaceAll('.', '\\.');
  const paths = new Set(
    Array.from(decoded.matchAll(new RegExp(`${escaped}(/uploads/[\\w.-]+)`, 'g')), ([, path]) => path),
  );
  const pictures: Record<string, string> = {};
  for (const path of Array.from(paths).sort()) {
    const response = await fetch(api + path);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    pictures[path] = `${response.status} ${response.headers.get('content-type')} ${digest}`;
  }
  return pictures;
}
