import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { dialectFor } from '../../core/dialect.ts';
import { SnapshotError } from '../../core/errors.ts';
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { type ArrayManifest, type ArrayShape, type ArrayView, arrayNames, bytesOf } from '../../store/flat-arrays.ts';
import { changesPrefix } from '../../store/overlay/attach-changes.ts';
import { allocateAt } from '../../store/writer/allocation-errors.ts';
import { checkSchema } from './check/check-schema.ts';
import { checkedStore } from './check/check-store.ts';
import { checkedDocument } from './check/documents.ts';
import { attachContent, type ContentDocuments, type ImageContent } from './describe-content.ts';
import {
  aligned,
  damaged,
  headerBytes,
  type Manifest,
  magic,
  parse,
  readHeader,
  readManifest,
  refused,
  type Section,
} from './format.ts';

/** Bytes of one read. The checksum of a piece is computed while the next ones are read. */
const pieceBytes = 2 ** 24;

const readsAtATime = 2;

/** Whether a file begins as an image does. */
export async function isImage(path: string): Promise<boolean> {
  return withFile(path, async (file) => magic.equals(await readAt(file, 0, Buffer.alloc(magic.length))));
}

/**
 * Reads an image into one piece of memory, over which the arrays of the store are views. Checks the CRC-32 of each section
 * and every document, and unless the image is of our own journal, every array, as anybody may have written them. Throws a
 * SnapshotError that names what is wrong.
 */
export async function readImage(
  path: string,
  allocator: Allocator = heapAllocator,
  isOwn = false,
): Promise<ImageContent> {
  return withFile(path, async (file) => {
    const { manifest, dataOffset, dataBytes } = await readHeaderAndManifest(path, file);
    const data = allocateAt(path, () => allocator.memory(dataBytes));
    const checks = new SectionChecks(path, manifest.sections);
    await readPieces(path, file, dataOffset, data, (end) => checks.check(data, end));
    return contentOfSections(path, new Sections(path, manifest.sections, data), isOwn);
  });
}

/** Throws a SnapshotError if the SHA-256 of an image is not the one in its manifest. */
export async function verifyImage(path: string): Promise<void> {
  await withFile(path, async (file) => {
    const { manifest, dataOffset, dataBytes } = await readHeaderAndManifest(path, file);
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, dataBytes));
    for (let done = 0; done < dataBytes; ) {
      const bytesRead = await readPiece(path, file, dataOffset + done, piece.subarray(0, dataBytes - done));
      hash.update(piece.subarray(0, bytesRead));
      done += bytesRead;
    }
    if (hash.digest('hex') !== manifest.sha256)
      throw damaged(path, 'its content does not have the SHA-256 of its manifest');
  });
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

interface HeaderAndManifest {
  readonly manifest: Manifest;
  readonly dataOffset: number;
  readonly dataBytes: number;
}

async function readHeaderAndManifest(path: string, file: FileHandle): Promise<HeaderAndManifest> {
  const { size } = await file.stat();
  const header = readHeader(path, await readAt(file, 0, Buffer.alloc(headerBytes)), size);
  const json = await readAt(file, headerBytes, Buffer.alloc(header.manifestBytes));
  if (crc32(json) !== header.manifestChecksum) throw damaged(path, 'the CRC-32 of its manifest does not match');
  const dataOffset = headerBytes + header.manifestBytes;
  const dataBytes = size - dataOffset;
  return { manifest: readManifest(path, json, header.format, dataBytes), dataOffset, dataBytes };
}

/** Reads up to the length of the buffer, or less at the end of the file. */
async function readAt(file: FileHandle, position: number, buffer: Buffer): Promise<Buffer> {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}

async function readPiece(path: string, file: FileHandle, position: number, piece: Uint8Array): Promise<number> {
  const { bytesRead } = await file.read(piece, 0, piece.length, position);
  if (bytesRead === 0) throw refused(path, 'the file became shorter during the read');
  return bytesRead;
}

/**
 * Reads into `data`. Calls `received` with the number of bytes read so far, while more are being read: two reads at a
 * time, because copying out of the file cache keeps a processor busy.
 */
async function readPieces(
  path: string,
  file: FileHandle,
  position: number,
  data: ArrayBufferLike,
  received: (end: number) => void,
): Promise<void> {
  const reads: Promise<number>[] = [];
  let started = 0;
  const startReads = () => {
    while (reads.length < readsAtATime && started < data.byteLength) {
      const start = started;
      started = Math.min(start + pieceBytes, data.byteLength);
      const read = readWhole(path, file, position + start, new Uint8Array(data, start, started - start));
      // is awaited later, unless a check throws
      read.catch(() => {});
      reads.push(read);
    }
  };
  startReads();
  for (let end = 0; reads.length > 0; ) {
    end += await reads.shift()!;
    startReads();
    received(end);
  }
}

/** Reads all bytes of a piece, and returns their number. */
async function readWhole(path: string, file: FileHandle, position: number, piece: Uint8Array): Promise<number> {
  for (let done = 0; done < piece.length; ) done += await readPiece(path, file, position + done, piece.subarray(done));
  return piece.length;
}

/** Checks sections as soon as their bytes are read. */
class SectionChecks {
  readonly #path: string;
  readonly #sections: readonly Section[];
  #checked = 0;

  constructor(path: string, sections: readonly Section[]) {
    this.#path = path;
    this.#sections = sections;
  }

  /** `end` is the number of bytes read so far. */
  check(data: ArrayBufferLike, end: number): void {
    for (; this.#checked < this.#sections.length; this.#checked++) {
      const { name, offset, bytes, checksum } = this.#sections[this.#checked];
      const sectionEnd = aligned(offset + bytes);
      if (sectionEnd > end) return;
      if (crc32(new Uint8Array(data, offset, sectionEnd - offset)) !== checksum) {
        throw damaged(this.#path, `the CRC-32 of its section ${name} does not match`);
      }
    }
  }
}

/** The sections of an image by name. */
class Sections {
  readonly #path: string;
  readonly #byName: ReadonlyMap<string, Section>;
  readonly data: ArrayBufferLike;
  readonly #used = new Set<string>();

  constructor(path: string, sections: readonly Section[], data: ArrayBufferLike) {
    this.#path = path;
    this.#byName = new Map(sections.map((section) => [section.name, section]));
    this.data = data;
  }

  json(name: string): unknown {
    const { kind, offset, bytes } = this.#section(name);
    if (kind !== 'json') throw damaged(this.#path, `its section ${name} has the kind ${kind} instead of json`);
    return parse(this.#path, `section ${name}`, Buffer.from(this.data, offset, bytes));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  view(name: string, shape: ArrayShape): ArrayView {
    const { kind, offset, bytes } = this.#section(name);
    if (kind !== shape.kind || bytes !== bytesOf(shape)) {
      const expected = `${shape.length} items of ${shape.kind}`;
      throw damaged(this.#path, `its section ${name} has ${bytes} bytes of ${kind} instead of ${expected}`);
    }
    return { buffer: 0, offset };
  }

  /** Throws a SnapshotError if a section that nobody asked for is required. */
  rejectUnknown(): void {
    for (const { name, required } of this.#byName.values()) {
      if (!required || this.#used.has(name)) continue;
      throw refused(this.#path, `the image needs a newer version of Lectern, which knows its section ${name}`);
    }
  }

  #section(name: string): Section {
    const section = this.#byName.get(name);
    if (!section) throw damaged(this.#path, `its section ${name} is missing`);
    this.#used.add(name);
    return section;
  }
}

/** The documents and arrays may be by anybody, unless the image is our own, so they are checked before they are used. */
function contentOfSections(path: string, sections: Sections, isOwn: boolean): ImageContent {
  try {
    const document = <Name extends keyof ContentDocuments>(name: Name) => checkedDocument(name, sections.json(name));
    const store = document('store');
    const documents: ContentDocuments = {
      facts: document('facts'),
      types: document('types'),
      notices: sections.has('notices') ? document('notices') : { inferred: null, warnings: [] },
      schema: document('schema'),
      store,
      ...(sections.has('version') && { version: document('version') }),
    };
    const names = arrayNames(store.arrays);
    rejectChanges(store.arrays);
    const views = store.arrays.shapes.map((shape, i) => sections.view(names[i], shape));
    sections.rejectUnknown();
    checkSchema(documents.schema);
    const content = attachContent({ manifest: { documents, views }, buffers: [sections.data] });
    if (isOwn) return content;
    const { dialect, strapiVersion, database, mysql } = content.facts;
    const { derived } = dialectFor(dialect, strapiVersion, database, mysql);
    return { ...content, store: checkedStore(content.store, derived) };
  } catch (error) {
    throw error instanceof SnapshotError ? error : damaged(path, (error as Error).message);
  }
}

/** Nothing checks the arrays of changes, which only threads of one process hand to each other. */
function rejectChanges({ positions, numbers }: ArrayManifest): void {
  const names = [...Object.keys(positions), ...Object.keys(numbers)];
  const name = names.find((name) => name.startsWith(changesPrefix));
  if (name !== undefined) throw new Error(`its section store: an image has no changes, but there is ${name}`);
}
