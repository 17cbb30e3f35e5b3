/** Content with its links in one order: an export from a server has them at random. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StrapiContent } from '../../src/load/strapi/strapi-content.ts';
import { temporaryFolder } from '../support/folders.ts';

/** What does not depend on the order of links, which an export from PostgreSQL has at random. */
const byEnds = (link: unknown) => JSON.stringify(link, ['left', 'right', 'type', 'field', 'ref', 'pos']);

/** Unpacks an export, with its links in another order. */
export function sortedExport(path: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['xzf', path, '-C', folder]);
  const links = join(folder, 'links');
  const files = readdirSync(links).map((name) => join(links, name));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const sorted = lines.sort((a, b) => (byEnds(JSON.parse(a)) < byEnds(JSON.parse(b)) ? -1 : 1));
  for (const file of files) writeFileSync(file, '');
  writeFileSync(files[0], `${sorted.join('\n')}\n`);
  return folder;
}

export function withSortedLinks(content: StrapiContent): StrapiContent {
  return {
    strapiVersion: content.strapiVersion,
    types: content.types,
    has: () => true,
    async each(stage, take) {
      if (stage !== 'links') return content.each(stage, take);
      const lines: [Record<string, unknown>, string][] = [];
      await content.each(stage, (line, location) => lines.push([line, location]));
      for (const line of lines.sort(([a], [b]) => (byEnds(a) < byEnds(b) ? -1 : 1))) take(...line);
    },
    uploadedFiles: (names) => content.uploadedFiles(names),
  };
}
