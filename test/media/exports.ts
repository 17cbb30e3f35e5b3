import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { temporaryFolder } from '../support/folders.ts';

/** Small Strapi exports with media files. */

type Header = Parameters<ReturnType<typeof pack>['entry']>[0];

/** The attributes of a media file. */
export interface FileEntity {
  url?: string;
  hash?: string;
  ext?: string;
  formats?: unknown;
}

export interface ExportOptions {
  files: FileEntity[];
  /** File contents by name below `assets/uploads`. */
  assets?: Record<string, string | Buffer>;
  /** Further entries of the archive, with arbitrary headers. */
  others?: Header[];
}

const fileType = 'plugin::upload.file';

/** The files of an export, by name. */
export function exportFilesOf({ files, assets = {} }: ExportOptions): Map<string, Buffer> {
  const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
  const text = { type: 'string' };
  const attributes = { name: text, hash: text, ext: text, url: text, previewUrl: text, formats: { type: 'json' } };
  const info = { singularName: 'file', pluralName: 'files' };
  const entities = files.map((file, i) =>
    line({ type: fileType, id: i + 1, data: { documentId: `file-${i}`, name: `File ${i}`, ...file } }),
  );
  return new Map<string, Buffer>([
    ['metadata.json', Buffer.from('{"strapi":{"version":"5.54.0"}}')],
    ['schemas/schemas_00001.jsonl', line({ uid: fileType, kind: 'collectionType', info, attributes })],
    ['entities/entities_00001.jsonl', Buffer.concat(entities)],
    ...Object.entries(assets).flatMap(([name, content]): [string, Buffer][] => [
      [`assets/metadata/${name}.json`, Buffer.from(JSON.stringify({ hash: name }))],
      [`assets/uploads/${name}`, Buffer.from(content)],
    ]),
  ]);
}

/** The same as a packed archive. */
export async function exportArchive(options: ExportOptions): Promise<Buffer> {
  const archive = pack();
  const mtime = new Date('2026-01-02T03:04:05Z');
  for (const header of options.others ?? []) archive.entry(header, '');
  for (const [name, bytes] of exportFilesOf(options)) archive.entry({ name, mtime }, bytes);
  archive.finalize();
  return gzipSync(await buffer(archive), { level: 1 });
}

/** Writes a packed export into a new folder and returns its path. */
export async function writeArchive(options: ExportOptions): Promise<string> {
  const path = join(temporaryFolder(), 'export.tar.gz');
  await writeFile(path, await exportArchive(options));
  return path;
}
