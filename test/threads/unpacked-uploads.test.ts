// One thread unpacks the uploaded files of an archive, and the others serve them.
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Archive } from '../../src/http/files/unpacking.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { RemoteUnpacking, SharedUnpacking } from '../../src/server/threads/unpacked-uploads.ts';
import { writeArchive } from '../media/exports.ts';
import { temporaryFolder } from '../support/folders.ts';

const picture = { url: '/uploads/cat_0123456789.png', hash: 'cat_0123456789', ext: '.png' };
const name = 'cat_0123456789.png';

async function archiveOf(assets: Record<string, string>): Promise<Archive> {
  const { uploadedFiles } = await loadSnapshot(await writeArchive({ files: [picture], assets }));
  return uploadedFiles as Archive;
}

/** A thread that serves the files of an archive which another unpacks. */
async function unpacking(assets: Record<string, string> = { [name]: 'a cat' }) {
  const archive = await archiveOf(assets);
  const shared = new SharedUnpacking();
  const cacheDir = temporaryFolder();
  const own = shared.unpack(archive, cacheDir);
  const asked: string[] = [];
  const upload = (archive: string, name: string, milliseconds: number) => {
    asked.push(name);
    return shared.state(archive, name, milliseconds);
  };
  return { archive, shared, own, asked, cacheDir, remote: new RemoteUnpacking(structuredClone(archive), { upload }) };
}

test('a thread waits for a file that another unpacks, and asks for it once', async () => {
  const { own, remote, asked } = await unpacking();
  expect(await remote.state(name, 60_000)).toBe('ready');
  expect(await remote.state(name, 60_000)).toBe('ready');
  expect(remote.folder).toBe(own.folder);
  expect(existsSync(`${remote.folder}/${name}`)).toBe(true);
  expect(await remote.state('other.png', 60_000)).toBe('missing');
  expect(asked).toEqual([name]);
});

test('a file that the archive lacks is missing', async () => {
  const { remote, own } = await unpacking({});
  expect(await remote.state(name, 60_000)).toBe('missing');
  expect(await own.settled).toHaveLength(1);
});

test('released files stay until the other threads serve what follows', async () => {
  const { shared, own, remote, cacheDir } = await unpacking();
  let finish = () => {};
  shared.swapping(new Promise<void>((resolve) => (finish = resolve)));
  const released = own.release();
  expect(await remote.state(name, 60_000)).toBe('ready');
  finish();
  await released;
  expect(await remote.state('unknown.png', 0)).toBe('missing');
  await remote.release();
  expect(readdirSync(cacheDir)).toEqual([]);
});

test('the files of an archive stay while another content has them', async () => {
  const { archive, shared, own, remote, cacheDir } = await unpacking();
  const other = shared.unpack(archive, cacheDir);
  await Promise.all([own.settled, other.settled]);
  await other.release();
  expect(await remote.state(name, 60_000)).toBe('ready');
  await Promise.all([own.release(), remote.release()]);
  expect(readdirSync(cacheDir)).toEqual([]);
});
