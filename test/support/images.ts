import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import {
  headerBytes,
  type Manifest,
  readHeader,
  readManifest,
  writeHeader,
  writeManifest,
} from '../../src/load/image/format.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { type WrittenImage, writeImage } from '../../src/load/image/write-image.ts';
import type { JsonSnapshot } from '../../src/load/json/json-source.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadOptions } from '../../src/load/loaded.ts';

let folder: string;
let images = 0;

/** Makes a folder for the images of a test file, which is removed after its tests. */
export function makeImageFolder(): void {
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'lectern-image-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
}

export function newPath(): string {
  return join(folder, `${++images}.lectern`);
}

/** Writes the image of a snapshot. */
export async function writeImageOf(
  source: string | JsonSnapshot,
  options: LoadOptions = {},
): Promise<WrittenImage & { path: string }> {
  const path = newPath();
  const written = await writeImage(path, imageContentOf(await loadSnapshot(source, options)));
  return { ...written, path };
}

/** The parts of an image file. */
export interface ImageParts {
  manifest: Manifest;
  data: Buffer;
}

export function partsOf(file: Buffer): ImageParts {
  const { format, manifestBytes } = readHeader('', file, file.length);
  const data = Buffer.from(file.subarray(headerBytes + manifestBytes));
  const json = file.subarray(headerBytes, headerBytes + manifestBytes);
  return { manifest: readManifest('', json, format, data.length), data };
}

/** Writes parts as an image whose header and manifest have the right checksums, whatever they say. */
export function writeParts({ manifest, data }: ImageParts): string {
  const json = writeManifest(manifest);
  const fileBytes = headerBytes + json.length + data.length;
  const header = writeHeader({ manifestBytes: json.length, manifestChecksum: crc32(json), fileBytes });
  return writeBytes(Buffer.concat([header, json, data]));
}

export function writeBytes(bytes: Uint8Array): string {
  const path = newPath();
  writeFileSync(path, bytes);
  return path;
}

export function changed(path: string, change: (bytes: Buffer) => void): string {
  const bytes = readFileSync(path);
  change(bytes);
  return writeBytes(bytes);
}
