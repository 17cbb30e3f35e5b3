/** Writes a snapshot folder. The same seed and number of entries give the same bytes. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { article } from './article.ts';
import { author } from './author.ts';
import { bookmark } from './bookmark.ts';
import { category } from './category.ts';
import { COMPONENTS } from './components.ts';
import type { ContentType } from './content-type.ts';
import { file } from './file.ts';
import { homepage } from './homepage.ts';
import { invoice } from './invoice.ts';
import { issue } from './issue.ts';
import { place } from './place.ts';
import { ROLES, SETTINGS } from './roles.ts';
import { team } from './team.ts';
import { user } from './user.ts';
import { world } from './world.ts';

const CONTENT_TYPES: ContentType[] = [
  article,
  author,
  bookmark,
  category,
  file,
  homepage,
  invoice,
  issue,
  place,
  team,
  user,
];

export interface Summary {
  entries: Record<string, number>;
  bytes: number;
}

/** Text that is collected before it goes to the disk, in characters. */
const CHUNK = 1 << 20;

export function writeSnapshot(folder: string, entries: number, seed: number): Summary {
  const content = world(seed, entries);
  const summary: Summary = { entries: {}, bytes: 0 };
  const json = (path: string, value: object) => {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    summary.bytes += Buffer.byteLength(text);
  };

  json('snapshot.json', SETTINGS);
  json('roles.json', ROLES);
  for (const [uid, { info, attributes }] of Object.entries(COMPONENTS)) {
    const $schema = '../../../schemas/component.schema.json';
    json(`components/${uid.replace('.', '/')}.json`, { $schema, info, attributes });
  }
  for (const type of CONTENT_TYPES) {
    if (type.definition) json(`content-types/${type.singularName}.json`, type.definition);
  }
  mkdirSync(join(folder, 'entries'), { recursive: true });
  for (const type of CONTENT_TYPES) {
    const written = writeEntries(join(folder, 'entries', `${type.singularName}.json`), type.entries(content));
    summary.entries[type.singularName] = written.entries;
    summary.bytes += written.bytes;
  }
  return summary;
}

/** A JSON array with one entry a line. Only one chunk of it is in memory at a time. */
function writeEntries(path: string, entries: Iterable<object>): { entries: number; bytes: number } {
  const output = openSync(path, 'w');
  let count = 0;
  let bytes = 0;
  let waiting = '[';
  const flush = () => {
    bytes += writeFully(output, waiting);
    waiting = '';
  };
  try {
    for (const entry of entries) {
      waiting += `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify(entry)}`;
      if (waiting.length > CHUNK) flush();
    }
    waiting += '\n]\n';
    flush();
  } finally {
    closeSync(output);
  }
  return { entries: count, bytes };
}

/** A write may take less than it was given. */
function writeFully(output: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at);
  return bytes.length;
}
