import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderImages } from '../../src/publication/images/folder-images.ts';
import { StoredImages } from '../../src/publication/images/stored-images.ts';
import { type Head, PublicationError } from '../../src/publication/publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/sha256.ts';
import { headAt, imageAt } from './contents.ts';

const minute = 60_000;

/** A file of the folder that was written some minutes ago. */
function addFile(folder: string, name: string, age: number): string {
  writeFileSync(join(folder, name), name);
  const time = new Date(Date.now() - age * minute);
  utimesSync(join(folder, name), time, time);
  return name;
}

const fileOf = (sequence: number) => `${imageAt(sequence).sha256}.lectern`;
const temporary = (name: string) => `.${name}.123-01234567-89ab-cdef-0123-456789abcdef`;

/** Puts an image into a folder, and returns its file. */
async function put(folder: string, readHead: () => Promise<Head | null>): Promise<string> {
  const path = join(temporaryFolder(), 'image');
  writeFileSync(path, 'new');
  await new StoredImages(new FolderImages(folder), readHead).putImage(path);
  return `${sha256(Buffer.from('new'))}.lectern`;
}

test('a new image removes all but the newest, those of the last hour, and those that the head names', async () => {
  const folder = temporaryFolder();
  const head = headAt(8, { imageSequence: 1, pinned: imageAt(2) });
  const named = [addFile(folder, fileOf(1), 900), addFile(folder, fileOf(2), 800)];
  const recent = [addFile(folder, fileOf(3), 58), addFile(folder, fileOf(4), 59)];
  addFile(folder, fileOf(5), 61);
  addFile(folder, fileOf(6), 700);
  addFile(folder, temporary(fileOf(7)), 61);
  const kept = [
    addFile(folder, temporary(fileOf(8)), 59),
    addFile(folder, 'foreign', 900),
    addFile(folder, temporary('foreign'), 900),
  ];
  const added = await put(folder, async () => head);
  expect(readdirSync(folder).sort()).toEqual([...named, ...recent, ...kept, added].sort());
});

test('the three newest images stay, however old they are', async () => {
  const folder = temporaryFolder();
  const images = [900, 901, 902, 903].map((age, i) => addFile(folder, fileOf(i + 1), age));
  const added = await put(folder, async () => null);
  expect(readdirSync(folder).sort()).toEqual([images[0], images[1], added].sort());
});

test('nothing is removed while the head cannot be read', async () => {
  const folder = temporaryFolder();
  const images = [900, 901, 902, 903].map((age, i) => addFile(folder, fileOf(i + 1), age));
  const added = await put(folder, async () => {
    throw new PublicationError('away');
  });
  expect(readdirSync(folder).sort()).toEqual([...images, added].sort());
});

test('an image that is there removes nothing', async () => {
  const folder = temporaryFolder();
  const images = [900, 901, 902, 903].map((age, i) => addFile(folder, fileOf(i + 1), age));
  const there = `${sha256(Buffer.from('new'))}.lectern`;
  writeFileSync(join(folder, there), 'new');
  await put(folder, async () => null);
  expect(readdirSync(folder).sort()).toEqual([...images, there].sort());
});

test('an image of another size is replaced', async () => {
  const folder = temporaryFolder();
  const there = `${sha256(Buffer.from('new'))}.lectern`;
  writeFileSync(join(folder, there), 'ne');
  await put(folder, async () => null);
  const target = join(temporaryFolder(), 'image');
  const image = { sha256: sha256(Buffer.from('new')), bytes: 3 };
  await new StoredImages(new FolderImages(folder), async () => null).getImage(image, target);
});

test('a folder that cannot be written and an image that is missing are named', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(put(join(file, 'site'), async () => null)).rejects.toThrow(
    /^cannot write the image .*\/file\/site\/[0-9a-f]{64}\.lectern: ENOTDIR/,
  );
  const images = new StoredImages(new FolderImages(temporaryFolder()), async () => null);
  const folder = temporaryFolder();
  await expect(images.getImage(imageAt(1), join(folder, 'image'))).rejects.toThrow(/^cannot read the image .*: ENOENT/);
  await expect(images.putImage(join(folder, 'missing'))).rejects.toThrow(/^cannot read the image .*missing: ENOENT/);
  expect(readdirSync(folder)).toEqual([]);
});
