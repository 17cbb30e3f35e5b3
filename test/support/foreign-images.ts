/** Images that somebody else wrote: the parts of a real one, changed, with the right checksums. */
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import { type Content, type OpenOptions, open, SnapshotError } from '../../src/index.ts';
import { aligned, type Section } from '../../src/load/image/format.ts';
import { acquireBuffer, releaseBuffer } from '../../src/query/reply/reply-memory.ts';
import type { ArrayKind } from '../../src/store/flat-arrays.ts';
import { type ImageParts, writeParts } from './images.ts';

/** What the memory of earlier replies holds. */
const foreignBytes = 'BYTES-OF-ANOTHER-CALLER ';

/** Returns the parts of an image in which the data of some sections differs. Their lengths and checksums are right. */
export function withSections({ manifest, data }: ImageParts, changed: ReadonlyMap<string, Buffer>): ImageParts {
  const pieces: Buffer[] = [];
  let offset = 0;
  const sections = manifest.sections.map((section) => {
    const bytes = changed.get(section.name);
    const padded = aligned(bytes?.length ?? section.bytes);
    const piece = bytes ? Buffer.alloc(padded) : data.subarray(section.offset, section.offset + padded);
    bytes?.copy(piece);
    pieces.push(piece);
    const placed = { ...section, offset, ...(bytes && { bytes: bytes.length, checksum: crc32(piece) }) };
    offset += padded;
    return placed;
  });
  return { manifest: { ...manifest, sections }, data: Buffer.concat(pieces) };
}

export function bytesOfSection(data: Buffer, { offset, bytes }: Section): Buffer {
  return data.subarray(offset, offset + bytes);
}

type Items = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array;

/** Returns a copy of a section as an array of its kind. */
export function itemsOf(bytes: Buffer, kind: string): Items {
  const copy = new Uint8Array(bytes).buffer;
  switch (kind as ArrayKind) {
    case 'uint8':
      return new Uint8Array(copy);
    case 'uint16':
      return new Uint16Array(copy);
    case 'uint32':
      return new Uint32Array(copy);
    case 'float64':
      return new Float64Array(copy);
    case 'bigint64':
      return new BigInt64Array(copy);
  }
}

/** Errors of JavaScript, which say nothing to whoever built the image. */
const accidental =
  /TypeError|RangeError|Cannot read|Cannot convert|is not a|not iterable|undefined|Invalid |must be called/;

/** What was asked of an image that opened. */
export interface Questions {
  readonly options: OpenOptions;
  readonly urls: readonly string[];
  /** Asks for more. Only a SnapshotError may be thrown. */
  more?(content: Content): void;
}

/**
 * Opens an image and asks it. Returns the message with which it is refused; null if it opens. Fails unless a refusal names
 * the image, and unless each reply is JSON, no 500, and without bytes of other replies.
 */
export async function refusalOf(parts: ImageParts, { options, urls, more }: Questions): Promise<string | null> {
  const path = writeParts(parts);
  let content: Content;
  try {
    content = await open(path, options);
  } catch (error) {
    // a setting that contradicts the content is an error of its own
    expect((error as Error).name, String((error as Error).stack)).toMatch(/^(SnapshotError|ConfigError)$/);
    const { message } = error as Error;
    expect(message).not.toMatch(accidental);
    if (error instanceof SnapshotError) expect(message).toContain(path);
    return message;
  }
  fillReplyMemory();
  for (const url of urls) {
    const { status, body } = await content.answer(url);
    expect(status, url).toBeLessThan(500);
    expect(body.includes(foreignBytes.slice(0, 8)), url).toBe(false);
    if (body.length > 0) JSON.parse(body.toString());
  }
  try {
    more?.(content);
  } catch (error) {
    expect(error, String((error as Error).stack)).toBeInstanceOf(SnapshotError);
  }
  return null;
}

/** Fills the buffers that the next replies are written into. */
function fillReplyMemory(): void {
  const sizes = [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20];
  const buffers = sizes.map((size) => acquireBuffer(size).fill(foreignBytes));
  for (const buffer of buffers) releaseBuffer(buffer);
}
