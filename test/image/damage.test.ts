import { readFileSync, truncateSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { open, SnapshotError } from '../../src/index.ts';
import { headerBytes, type Section, writeHeader } from '../../src/load/image/format.ts';
import { readImage, verifyImage } from '../../src/load/image/read-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { caseCount } from '../support/cases.ts';
import { guideFolder, thingSnapshot } from '../support/guide.ts';
import {
  changed,
  type ImageParts,
  makeImageFolder,
  partsOf,
  writeBytes,
  writeImageOf,
  writeParts,
} from '../support/images.ts';

makeImageFolder();

let path: string;
let bytes: Buffer;
let dataOffset: number;
let sections: readonly Section[];

beforeAll(async () => {
  ({ path } = await writeImageOf(guideFolder));
  bytes = readFileSync(path);
  const { manifest, data } = partsOf(bytes);
  sections = manifest.sections;
  dataOffset = bytes.length - data.length;
});

/** The message with which an image is refused; null if it opens. */
async function refusal(image: string): Promise<string | null> {
  try {
    await readImage(image);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError);
    expect((error as Error).message).toContain(image);
    return (error as Error).message;
  }
}

/** All sections in a full run, otherwise about 100, evenly spread: the image of the guide has a thousand. */
function spread(all: readonly Section[]): Section[] {
  const step = Math.ceil(all.length / caseCount(all.length, 100));
  return all.filter((_, i) => i % step === 0);
}

describe('a changed byte is noticed', () => {
  test('in every section: at its start, in its middle, at its end or in its padding', async () => {
    expect(sections.length).toBeGreaterThan(50);
    for (const [i, section] of spread(sections).entries()) {
      const { name, offset, bytes: length } = section;
      const end = sections[sections.indexOf(section) + 1]?.offset ?? bytes.length - dataOffset;
      if (end === offset) continue;
      const places = [offset, offset + (length >> 1), offset + Math.max(length, 1) - 1, end - 1];
      const at = dataOffset + places[i % places.length]!;
      const message = await refusal(changed(path, (copy) => void (copy[at] ^= 0x10)));
      expect(message, `${name} at ${at}`).toContain(`the CRC-32 of its section ${name} does not match`);
    }
  });

  test('in a section that is overwritten by zeros', async () => {
    for (const { name, offset, bytes: length } of spread(sections.filter((_, i) => i % 3 === 0))) {
      if (bytes.subarray(dataOffset + offset, dataOffset + offset + length).every((byte) => byte === 0)) continue;
      const image = changed(path, (copy) => void copy.fill(0, dataOffset + offset, dataOffset + offset + length));
      expect(await refusal(image), name).toContain(`the CRC-32 of its section ${name} does not match`);
    }
  });

  test('in each byte of the header', async () => {
    for (let at = 8; at < headerBytes; at++) {
      expect(await refusal(changed(path, (copy) => void (copy[at] ^= 0x01))), `byte ${at}`).not.toBeNull();
    }
  });

  test('in the manifest and the spaces that end it', async () => {
    for (const at of [headerBytes, headerBytes + 100, dataOffset - 1]) {
      const message = await refusal(changed(path, (copy) => void (copy[at] ^= 0x01)));
      expect(message, `byte ${at}`).toContain('the CRC-32 of its manifest does not match');
    }
  });
});

test('a file that does not begin as an image does is no image', async () => {
  const image = changed(path, (copy) => void (copy[0] = 0));
  await expect(open(image)).rejects.toThrow(SnapshotError);
});

test('an image that is cut off anywhere is refused', async () => {
  const cuts = [8, 20, headerBytes, headerBytes + 1, dataOffset - 1, dataOffset, bytes.length - 1];
  for (const { offset } of spread(sections)) cuts.push(dataOffset + offset + 1);
  for (const cut of cuts) {
    if (cut >= bytes.length) continue;
    const message = await refusal(writeBytes(bytes.subarray(0, cut)));
    expect(message).toMatch(cut < headerBytes ? /ends in its header/ : /only \d+ of its \d+ bytes are there/);
  }
  await expect(open(writeBytes(bytes.subarray(0, 12)))).rejects.toThrow('it ends in its header, after 12 bytes');
});

test('an image with more bytes than it says is refused', async () => {
  expect(await refusal(writeBytes(Buffer.concat([bytes, Buffer.alloc(1)])))).toContain('instead of');
});

test('a manifest of 3 GB is refused before it is read', async () => {
  const manifestBytes = 3 * 2 ** 30;
  const header = writeHeader({ manifestBytes, manifestChecksum: 0, fileBytes: headerBytes + manifestBytes });
  const image = writeBytes(header);
  truncateSync(image, headerBytes + manifestBytes);
  expect(await refusal(image)).toContain(`its manifest has ${manifestBytes} bytes; the limit is`);
});

test('an image of a later format is refused, with what to do', async () => {
  const message = await refusal(changed(path, (copy) => void copy.writeUInt32LE(4, 12)));
  expect(message).toContain('the image has the format 4, and this version of Lectern reads up to 3');
});

test('an image of a format that was never written is refused', async () => {
  const message = await refusal(changed(path, (copy) => void copy.writeUInt32LE(0, 12)));
  expect(message).toContain('its header has the unknown format 0');
});

test('an image of another byte order is refused', async () => {
  const other = endianness() === 'LE' ? 0x04030201 : 0x01020304;
  const message = await refusal(changed(path, (copy) => void copy.writeUInt32LE(other, 8)));
  expect(message).toContain('built on a machine with another byte order');
});

describe('a manifest with the right checksum that is wrong', () => {
  const lie = (change: (parts: ImageParts) => void): Promise<string | null> => {
    const parts = structuredClone(partsOf(bytes));
    parts.data = Buffer.from(parts.data);
    change(parts);
    return refusal(writeParts(parts));
  };
  const at = (parts: ImageParts, name: string) => parts.manifest.sections.find((section) => section.name === name)!;
  const anArray = () => sections.find(({ kind, bytes: length }) => kind === 'uint32' && length > 64)!.name;

  test.each([
    ['a section begins elsewhere', (parts: ImageParts) => void (parts.manifest.sections[3]!.offset += 64), 'begins at'],
    ['a section is longer', (parts: ImageParts) => void (parts.manifest.sections[3]!.bytes += 128), 'begins at'],
    [
      'a section lies beyond the end',
      (parts: ImageParts) => void (parts.manifest.sections.at(-1)!.bytes += 2 ** 40),
      'its sections take',
    ],
    [
      'two sections have one name',
      (parts: ImageParts) => void (parts.manifest.sections[1]!.name = 'facts'),
      'names the section facts twice',
    ],
    [
      'an offset is negative',
      (parts: ImageParts) => void (parts.manifest.sections[0]!.offset = -1),
      'sections.0.offset',
    ],
    [
      'a section is missing',
      (parts: ImageParts) => void (at(parts, 'schema').name = 'plan'),
      'its section schema is missing',
    ],
    ['a document is an array', (parts: ImageParts) => void (at(parts, 'facts').kind = 'uint8'), 'instead of json'],
    [
      'an array has an unknown kind',
      (parts: ImageParts) => void (at(parts, anArray()).kind = 'int3'),
      'bytes of int3 instead of',
    ],
    [
      'an array has items of another size',
      (parts: ImageParts) => void (at(parts, anArray()).kind = 'uint16'),
      'bytes of uint16 instead of',
    ],
  ])('is refused: %s', async (_, change, message) => {
    expect(await lie(change)).toContain(message);
  });

  test('is refused where an array is shorter than the store needs', async () => {
    const name = anArray();
    const message = await lie((parts) => {
      const section = at(parts, name);
      section.bytes -= 4;
      const next = parts.manifest.sections[parts.manifest.sections.indexOf(section) + 1]!;
      section.checksum = crc32(parts.data.subarray(section.offset, next.offset));
    });
    expect(message).toMatch(/begins at|items of uint32/);
  });
});

describe('sections that this version does not know', () => {
  const withSection = (required: boolean): string => {
    const { manifest, data } = partsOf(bytes);
    const added = Buffer.alloc(64, 'x');
    const section = { name: 'later', required, kind: 'later', offset: data.length, bytes: 64, checksum: crc32(added) };
    return writeParts({
      manifest: { ...manifest, sections: [...manifest.sections, section] },
      data: Buffer.concat([data, added]),
    });
  };

  test('are skipped if they are optional', async () => {
    expect(await refusal(withSection(false))).toBeNull();
  });

  test('are refused if they are required', async () => {
    expect(await refusal(withSection(true))).toContain(
      'needs a newer version of Lectern, which knows its section later',
    );
  });

  test('may be missing if they are optional', async () => {
    const parts = partsOf(bytes);
    parts.manifest.sections.find(({ name }) => name === 'notices')!.name = 'other';
    expect(await refusal(writeParts(parts))).toBeNull();
  });
});

test('the SHA-256 is verified on demand', async () => {
  await verifyImage(path);
  const parts = partsOf(bytes);
  const wrong = writeParts({ ...parts, manifest: { ...parts.manifest, sha256: '0'.repeat(64) } });
  expect(await refusal(wrong)).toBeNull();
  await expect(verifyImage(wrong)).rejects.toThrow('does not have the SHA-256 of its manifest');
});

test('an image holds no private values', async () => {
  const attributes = {
    name: { type: 'string' },
    secret: { type: 'string', private: true },
    pass: { type: 'password' },
  };
  const snapshot = thingSnapshot(attributes, [
    { documentId: 'a', name: 'shown', secret: 'hidden-value', pass: 'hidden-pass' },
  ]);
  const { path: image } = await writeImageOf(snapshot);
  const text = readFileSync(image, 'latin1');
  expect(text).toContain('shown');
  expect(text).not.toContain('hidden-');
  expect((await loadSnapshot(image)).store.contentDigest).toBe((await loadSnapshot(snapshot)).store.contentDigest);
});
