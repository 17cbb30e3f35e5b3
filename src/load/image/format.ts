/**
 * The layout of an image file: a header, a manifest in JSON, and sections of flat bytes, each at a multiple of 64
 * bytes. The padding after a section is zeros and belongs to its checksum, so that a changed byte anywhere is noticed.
 */
import { constants } from 'node:buffer';
import { endianness } from 'node:os';
import { z } from 'zod';
import { SnapshotError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { describeLaterFormat } from '../../core/written-format.ts';

/**
 * The first bytes of every image. The first is not ASCII and the last is a line feed, so that text conversions show.
 */
export const magic = Buffer.from([0x89, ...Buffer.from('LECTRN'), 0x0a]);

/** The format that is written. Raise it when an older reader would misread an image. */
export const currentFormat = 3;
/** The formats that are read. Format 1 has no positions of links, and formats 1 and 2 have no starts of rows. */
export const readableFormats: readonly number[] = [1, 2, 3];

/** The last format whose manifest does not name it. */
const lastUnnamedFormat = 2;

export const headerBytes = 32;
/** Maximum length of a string, which the manifest is parsed from. A read of 2 GiB would end the process. */
const maxManifestBytes = constants.MAX_STRING_LENGTH;
const alignment = 64;

/** The documents without which an image opens. All other sections are required. */
export const optionalDocuments: ReadonlySet<string> = new Set(['notices', 'version']);

export function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

export interface Header {
  readonly format: number;
  /** Bytes of the manifest, with the spaces that end it. The sections begin after it. */
  readonly manifestBytes: number;
  readonly manifestChecksum: number;
  /** Bytes of the whole file. */
  readonly fileBytes: number;
}

export interface Section {
  name: string;
  /** Whether a reader that does not know the section has to refuse the image. */
  required: boolean;
  /** `json`, or the kind of the items of an array. */
  kind: string;
  /** From the first byte after the manifest. */
  offset: number;
  /** Without padding. */
  bytes: number;
  /** CRC-32 of the bytes and the padding. */
  checksum: number;
}

const isText = (value: unknown) => typeof value === 'string';
const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Checked without zod, which takes 25 ms of a start for 2,300 sections. This takes 1. */
const sectionFields: Record<keyof Section, (value: unknown) => boolean> = {
  name: isText,
  required: (value) => typeof value === 'boolean',
  kind: isText,
  offset: isSize,
  bytes: isSize,
  checksum: isSize,
};

/** Not strict: a later version may add keys that this one does not need. */
const manifest = z.object({
  /** That of the header, so that a changed byte there is noticed. Images before format 3 lack it. */
  format: z.number().optional(),
  sections: z.array(z.unknown()),
  /** SHA-256 of everything after the manifest, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface Manifest extends z.infer<typeof manifest> {
  sections: Section[];
}

/** Offsets of the fields of the header. All numbers but the byte order are little-endian. */
const fields = { byteOrder: 8, format: 12, manifestBytes: 16, manifestChecksum: 20, fileBytes: 24 };
const byteOrders = { LE: 0x01020304, BE: 0x04030201 };

export function writeHeader({ manifestBytes, manifestChecksum, fileBytes }: Omit<Header, 'format'>): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32LE(byteOrders[endianness()], fields.byteOrder);
  header.writeUInt32LE(currentFormat, fields.format);
  header.writeUInt32LE(manifestBytes, fields.manifestBytes);
  header.writeUInt32LE(manifestChecksum, fields.manifestChecksum);
  header.writeBigUInt64LE(BigInt(fileBytes), fields.fileBytes);
  return header;
}

/** Throws a SnapshotError if a file of `fileBytes` bytes that begins with `header` is not an image for this machine. */
export function readHeader(path: string, header: Buffer, fileBytes: number): Header {
  if (header.length < headerBytes) throw damaged(path, `it ends in its header, after ${header.length} bytes`);
  const byteOrder = header.readUInt32LE(fields.byteOrder);
  if (byteOrder !== byteOrders[endianness()]) {
    if (!Object.values(byteOrders).includes(byteOrder)) throw damaged(path, 'its header has no byte order');
    throw refused(path, 'the image was built on a machine with another byte order. Build it on this machine');
  }
  const format = header.readUInt32LE(fields.format);
  const later = describeLaterFormat(format, currentFormat);
  if (later) throw refused(path, `the image ${later}, or build it again`);
  if (!readableFormats.includes(format)) throw damaged(path, `its header has the unknown format ${format}`);
  const expected = Number(header.readBigUInt64LE(fields.fileBytes));
  if (fileBytes < expected) throw damaged(path, `only ${fileBytes} of its ${expected} bytes are there`);
  if (fileBytes > expected) throw damaged(path, `it has ${fileBytes} bytes instead of ${expected}`);
  const manifestBytes = header.readUInt32LE(fields.manifestBytes);
  if (manifestBytes > maxManifestBytes) {
    throw damaged(path, `its manifest has ${manifestBytes} bytes; the limit is ${maxManifestBytes}`);
  }
  if (headerBytes + manifestBytes > fileBytes)
    throw damaged(path, `its manifest of ${manifestBytes} bytes does not fit`);
  return { format, manifestBytes, manifestChecksum: header.readUInt32LE(fields.manifestChecksum), fileBytes };
}

/** Pads the manifest with spaces, so that the sections begin at a multiple of 64 bytes. */
export function writeManifest(content: Manifest): Buffer {
  const json = Buffer.from(JSON.stringify(content));
  const padded = Buffer.alloc(aligned(headerBytes + json.length) - headerBytes, ' ');
  json.copy(padded);
  return padded;
}

/**
 * Throws a SnapshotError if the manifest is that of another format than the header's, if the sections do not fill `dataBytes`
 * one after the other, or if two have the same name.
 */
export function readManifest(path: string, json: Buffer, format: number, dataBytes: number): Manifest {
  const parsed = manifest.safeParse(parse(path, 'manifest', json));
  if (!parsed.success) {
    const [{ path: place, message }] = parsed.error.issues;
    throw damaged(path, `its manifest is wrong at ${place.join('.') || 'the top'}: ${message}`);
  }
  const isOther = parsed.data.format === undefined ? format > lastUnnamedFormat : parsed.data.format !== format;
  if (isOther) throw damaged(path, `its header has the format ${format}, and its manifest has another one`);
  const sections = parsed.data.sections.map((section, i) => readSection(path, i, section));
  const names = new Set<string>();
  let end = 0;
  for (const { name, offset, bytes } of sections) {
    if (names.has(name)) throw damaged(path, `its manifest names the section ${name} twice`);
    names.add(name);
    if (offset !== end) throw damaged(path, `the section ${name} begins at ${offset} instead of ${end}`);
    end = aligned(offset + bytes);
  }
  if (end !== dataBytes) throw damaged(path, `its sections take ${end} bytes, and ${dataBytes} follow the manifest`);
  return { ...parsed.data, sections };
}

function readSection(path: string, i: number, section: unknown): Section {
  const given = section as Record<keyof Section, unknown> | null;
  for (const field of Object.keys(sectionFields) as (keyof Section)[]) {
    if (sectionFields[field](given?.[field])) continue;
    throw damaged(path, `its manifest is wrong at sections.${i}.${field}: ${preview(given?.[field])}`);
  }
  return section as Section;
}

/** Parses a part of an image. Throws a SnapshotError that names it. */
export function parse(path: string, name: string, json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch (error) {
    throw damaged(path, `its ${name} is not valid JSON: ${(error as Error).message}`);
  }
}

export function damaged(path: string, what: string): SnapshotError {
  return refused(path, `the image is damaged: ${what}. Build it again with "lectern build"`);
}

export function refused(path: string, message: string): SnapshotError {
  return new SnapshotError([`${path}: ${message}`]);
}
