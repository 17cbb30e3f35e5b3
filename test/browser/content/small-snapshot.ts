import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders.ts';

/** Writes a snapshot with one article, which may have unknown keys, and returns its folder. */
export function writeSmallSnapshot(article: object): string {
  const folder = temporaryFolder();
  for (const name of ['content-types', 'entries']) mkdirSync(join(folder, name));
  const write = (path: string, value: unknown) => writeFileSync(join(folder, path), JSON.stringify(value));
  write('content-types/article.json', {
    info: { singularName: 'article', pluralName: 'articles' },
    attributes: { title: { type: 'string' } },
  });
  write('entries/article.json', [article]);
  return folder;
}
