import { closeSync, openSync, readSync } from 'node:fs';
import { builtModule } from '../program.ts';

/** Bytes by what they hold. */
export type SectionSizes = ReadonlyMap<string, number>;

/** What a section holds, by its name. The first pattern that matches decides. */
const purposes: readonly [pattern: RegExp, purpose: string][] = [
  [/\/jsonRows\/bytes$/, 'JSON of rows'],
  [/\/jsonRows\/offsets$/, 'offsets of fragments'],
  [/\/jsonTexts\//, 'JSON as text'],
  [/\/positions$/, 'positions of links'],
  [/\/(links|polymorphic|versions)\//, 'links'],
  [/\/codes$/, 'codes of rows'],
  [/\/bitmaps\//, 'bitmaps of ranges'],
  [/\/index\//, 'value indexes'],
  [/\/(trigrams|frequent|folded)\//, 'text search'],
  [/\/columns\//, 'dictionaries'],
  [/\//, 'sets of rows'],
  [/^/, 'documents'],
];

interface Section {
  name: string;
  bytes: number;
}

interface Format {
  headerBytes: number;
  readHeader(path: string, header: Buffer, fileBytes: number): { manifestBytes: number; fileBytes: number };
  readManifest(path: string, json: Buffer, dataBytes: number): { sections: Section[] };
}

/** Adds up the sections of an image by what they hold. */
export async function sectionSizes(image: string, fileBytes: number): Promise<SectionSizes> {
  const { headerBytes, readHeader, readManifest } = (await import(builtModule('load/image/format.js'))) as Format;
  const file = openSync(image, 'r');
  const read = (start: number, bytes: number) => {
    const buffer = Buffer.alloc(bytes);
    readSync(file, buffer, 0, bytes, start);
    return buffer;
  };
  const { manifestBytes } = readHeader(image, read(0, headerBytes), fileBytes);
  const dataBytes = fileBytes - headerBytes - manifestBytes;
  const { sections } = readManifest(image, read(headerBytes, manifestBytes), dataBytes);
  closeSync(file);
  const sizes = new Map<string, number>();
  for (const { name, bytes } of sections) {
    const [, purpose] = purposes.find(([pattern]) => pattern.test(name))!;
    sizes.set(purpose, (sizes.get(purpose) ?? 0) + bytes);
  }
  return sizes;
}
