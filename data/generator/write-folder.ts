/** Writes a snapshot folder: settings, roles, definitions, and entries one after the other. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface FolderContent {
  settings: object;
  roles: object[];
  /** By uid. */
  components: Record<string, object>;
  types: { singularName: string; definition: object | null; entries: Iterable<object> }[];
}

export interface Summary {
  entries: Record<string, number>;
  bytes: number;
}

/** Characters that are collected before they are written. */
const CHUNK = 1 << 20;

export function writeFolder(folder: string, { settings, roles, components, types }: FolderContent): Summary {
  const summary: Summary = { entries: {}, bytes: 0 };
  const json = (path: string, value: object) => {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    summary.bytes += Buffer.byteLength(text);
  };

  json('snapshot.json', settings);
  json('roles.json', roles);
  for (const [uid, component] of Object.entries(components)) {
    json(`components/${uid.replace('.', '/')}.json`, component);
  }
  for (const { singularName, definition } of types) {
    if (definition) json(`content-types/${singularName}.json`, definition);
  }
  mkdirSync(join(folder, 'entries'), { recursive: true });
  for (const { singularName, entries } of types) {
    const written = writeEntries(join(folder, 'entries', `${singularName}.json`), entries);
    summary.entries[singularName] = written.entries;
    summary.bytes += written.bytes;
  }
  return summary;
}

/** Writes a JSON array with one entry a line. Only one chunk of it is in memory at a time. */
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

/** `writeSync` may write fewer bytes than it is given. */
function writeFully(output: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at);
  return bytes.length;
}
