/** Writes the rows that were pulled as an unpacked Strapi export. */

import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { writeAtomically } from '../../core/write-file.ts';
import { listFiles } from '../../load/files.ts';
import { fileType, roleType } from '../../model/schema/schema.ts';
import { type CheckedLinks, exists, groupByType, listsOf } from './check-links.ts';
import { linkLines } from './link-tables.ts';
import type { PulledLocales, Roles } from './plugin-content.ts';
import type { PulledRows } from './pulled-rows.ts';
import { readRow, type Shown, type ShownList, type ShownTarget } from './read-row.ts';
import type { RestTypes } from './rest-types.ts';
import type { Slice } from './slices.ts';

interface PulledContent {
  readonly types: RestTypes;
  readonly slices: readonly Slice[];
  readonly rows: PulledRows;
  readonly links: CheckedLinks;
  readonly locales: PulledLocales;
  /** Null if the token cannot read them. */
  readonly roles: Roles | null;
}

interface WrittenCounts {
  readonly entryCount: number;
  readonly linkCount: number;
}

/** Writes an export to a folder, and replaces its content. Leaves out links to entries that were not pulled. */
export async function writeSnapshot(folder: string, content: PulledContent): Promise<WrittenCounts> {
  const { types, slices, rows, locales, roles } = content;
  await rm(folder, { recursive: true, force: true });
  const entities = new LineFile(join(folder, 'entities', 'entities_00001.jsonl'));
  const links = new LineFile(join(folder, 'links', 'links_00001.jsonl'));
  const filter = new TargetFilter(content);
  for (const slice of slices) {
    const { type } = slice.readable;
    for await (const batch of rows.batches(slice)) {
      for (const row of batch) {
        const { data, lists } = readRow(types, type, row);
        if (!slice.isOnlyLinks) await entities.write({ type: type.uid, id: row.id, data });
        for (const list of listsOf(types, slice, lists)) {
          for (const line of linkLines(types, filter.keep(slice, list), content.links.tables)) await links.write(line);
        }
      }
    }
  }
  // files that cannot be listed are those that entries show
  const files = types.schema.types.get(fileType);
  if (files) {
    for (const file of filter.files.values()) {
      await entities.write({ type: fileType, id: file.id, data: readRow(types, files, file).data });
    }
  }
  for (const entity of [...locales.entities, ...(roles?.entities ?? [])]) await entities.write(entity);
  for (const link of roles?.links ?? []) await links.write(link);
  await Promise.all([entities.close(), links.close()]);
  await writeDescription(folder, content);
  return { entryCount: entities.count, linkCount: links.count };
}

/** Writes the definitions, the settings and the metadata. */
async function writeDescription(folder: string, { types, locales }: PulledContent): Promise<void> {
  const schemas = new LineFile(join(folder, 'schemas', 'schemas_00001.jsonl'));
  for (const definition of types.definitions) await schemas.write(definition);
  await schemas.close();
  const configuration = new LineFile(join(folder, 'configuration', 'configuration_00001.jsonl'));
  const value = { key: 'plugin_i18n_default_locale', value: locales.defaultLocale ?? 'en', type: 'string' };
  await configuration.write({ type: 'core-store', value });
  await configuration.close();
  await writeFile(
    join(folder, 'metadata.json'),
    `${JSON.stringify({ createdAt: new Date().toISOString() }, null, 2)}\n`,
  );
}

/** Leaves out links to rows that were not pulled, and repeated links. */
class TargetFilter {
  /** By id: the files that rows show, if they cannot be listed. */
  readonly files = new Map<number, Shown>();
  readonly #content: PulledContent;
  readonly #slicesByType: ReadonlyMap<string, readonly Slice[]>;
  /** The links of polymorphic attributes in types without drafts, which both statuses may show. */
  readonly #seen = new Set<string>();

  constructor(content: PulledContent) {
    this.#content = content;
    this.#slicesByType = groupByType(content.slices);
  }

  keep(slice: Slice, list: ShownList): ShownList {
    const { types } = this.#content;
    const { attribute } = list;
    if (attribute.kind === 'media' && !types.readable.has(fileType)) {
      for (const { id, shown } of list.targets) this.files.set(id, shown);
      return list;
    }
    const targets = list.targets.filter((target) => this.#exists(target) && !this.#isRepeated(slice, list, target));
    return targets.length === list.targets.length ? list : { ...list, targets };
  }

  #exists({ type, id }: ShownTarget): boolean {
    const { types, rows, roles } = this.#content;
    if (type === roleType && !types.readable.has(roleType))
      return roles?.entities.some((each) => each.type === roleType && each.id === id) === true;
    return exists(this.#slicesByType, rows, type, id);
  }

  /** Whether the slice with the values of the rows has shown a link of a polymorphic attribute. */
  #isRepeated(slice: Slice, { type, id, attribute }: ShownList, target: ShownTarget): boolean {
    if (attribute.kind !== 'polymorphic' || slice.readable.type.draftAndPublish) return false;
    const key = `${type.uid} ${id} ${attribute.name} ${target.type} ${target.id}`;
    if (slice.isOnlyLinks) return this.#seen.has(key);
    this.#seen.add(key);
    return false;
  }
}

/** Lines are written in pieces of this length, in characters. */
const pieceLength = 2 ** 16;

/** Writes a file of JSON values, one a line, in pieces. */
class LineFile {
  readonly #stream: WriteStream;
  #error: Error | null = null;
  #text = '';
  #count = 0;

  /** Creates the file and its folder. Replaces a file of that name. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = createWriteStream(path).on('error', (error) => {
      this.#error = error;
    });
  }

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  /** Adds a line. Rejects if the file cannot be written. */
  async write(value: object): Promise<void> {
    this.#text += `${JSON.stringify(value)}\n`;
    this.#count++;
    if (this.#text.length >= pieceLength) await this.#flush();
  }

  /** Writes the rest and closes the file. Rejects if the file cannot be written. */
  async close(): Promise<void> {
    await this.#flush();
    this.#stream.end();
    await finished(this.#stream);
  }

  async #flush(): Promise<void> {
    if (this.#error) throw this.#error;
    const text = this.#text;
    this.#text = '';
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }
}

/** Writes the files of a folder as a `.tar.gz`. The archive appears when it is complete. */
export async function packExport(folder: string, path: string): Promise<void> {
  const archive = pack();
  const packed = archive.pipe(createGzip());
  const adding = addFiles(archive, folder);
  // the error of a file ends the archive, and is thrown below
  adding.catch((error: Error) => packed.destroy(error));
  await writeAtomically(path, packed as AsyncIterable<Buffer>);
  await adding;
}

async function addFiles(archive: ReturnType<typeof pack>, folder: string): Promise<void> {
  const { files } = await listFiles(folder);
  for (const name of files.sort()) {
    const path = join(folder, name);
    const { size } = await stat(path);
    await pipeline(createReadStream(path), archive.entry({ name, size }));
  }
  archive.finalize();
}
