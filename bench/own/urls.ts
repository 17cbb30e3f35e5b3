import { readFileSync } from 'node:fs';
import type { Asked } from '../query.ts';

/** URLs that are measured together. */
export interface UrlGroup {
  name: string;
  urls: string[];
}

/** Lectern answers a URL alone. Other peers need a query, which a URL of one's own does not have. */
export const askedUrl = (url: string): Asked => ({ url, find: { type: '' }, operands: {} });

/**
 * Reads a file of URLs, one a line: a path with its query (`/api/articles?sort=title`) or a whole URL, whose origin is
 * dropped. A line `# name` begins a group that is measured for itself. Empty lines are skipped.
 */
export function readUrlFile(file: string): UrlGroup[] {
  const groups: UrlGroup[] = [];
  for (const [index, text] of textOf(file).split('\n').entries()) {
    const line = text.trim();
    if (line === '') continue;
    if (line.startsWith('#')) {
      groups.push({ name: line.replace(/^#+\s*/, '') || `line ${index + 1}`, urls: [] });
      continue;
    }
    if (groups.length === 0) groups.push({ name: 'all URLs', urls: [] });
    groups[groups.length - 1].urls.push(pathOf(line, `${file}, line ${index + 1}`));
  }
  const filled = groups.filter(({ urls }) => urls.length > 0);
  if (filled.length === 0)
    throw new Error(`option '--urls': ${file} has no URLs. Write one a line, such as /api/articles?sort=title.`);
  const names = filled.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new Error(`option '--urls': ${file}: two groups are called ${JSON.stringify(repeated)}.`);
  return filled;
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Error(`option '--urls': ${(error as Error).message}.`);
  }
  if (text.includes('\0')) throw new Error(`option '--urls': ${file} is not a text file.`);
  return text;
}

function pathOf(line: string, place: string): string {
  if (line.startsWith('/') && !/\s/.test(line)) return line;
  if (/^https?:\/\//.test(line) && URL.canParse(line)) {
    const { origin } = new URL(line);
    const path = line.slice(line.indexOf(new URL(origin).host) + new URL(origin).host.length);
    if (path.startsWith('/')) return path;
  }
  throw new Error(
    `option '--urls': ${place}: ${JSON.stringify(line.slice(0, 200))} is neither a path such as /api/articles nor an HTTP URL.`,
  );
}
