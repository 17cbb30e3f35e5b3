// A publisher whose Redis has lost the log and kept the head, as one that removes keys for want of memory.
import pino from 'pino';
import { expect, test } from 'vitest';
import { Publisher } from '../../src/content/publishing/publisher.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { VersionedSnapshot } from '../../src/load/loaded.ts';
import { openPublication } from '../../src/publication/open-publication.ts';
import type { PublishedChange } from '../../src/publication/publication.ts';
import { retitled, TestPublisher, things } from '../replica/test-publisher.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startRedis } from './redis-server.ts';

test('a publisher publishes again what the log has lost, and goes on', async () => {
  const server = await startRedis();
  const images = temporaryFolder('lectern-images-');
  const { publication, presence, close } = await openPublication(
    { to: server.url, name: 'site', images, isPublisher: true },
    {},
    () => {},
  );
  // makes changes for the publisher of the test
  const maker = await TestPublisher.begin(publication);
  await server.client.flushAll();
  const { epoch, sequence: first } = maker.head;
  let loaded: VersionedSnapshot = { ...(await loadSnapshot(things('First'))), version: { epoch, sequence: first } };
  const content = {
    get loaded() {
      return loaded;
    },
    take: async () => {},
    renumber: async () => false,
    adopt: async () => false,
    keptAfter: async () => [],
  };
  const publisher = new Publisher({
    publication,
    presence,
    name: 'site',
    memberId: 'this',
    folder: temporaryFolder(),
    settings: '',
    source: '',
    isFollowed: false,
    log: pino({ level: 'silent' }),
    write: async (path, given) => (await writeImage(path, imageContentOf(given))).bytes,
  });
  const publish = async (change: PublishedChange) => {
    await publisher.append(change);
    loaded = { ...maker.loaded, version: { epoch, sequence: change.sequence } };
  };
  const sequences = async () => {
    const { changes } = await publication.readFrom(publisher.head!.image, { wait: 0 });
    return changes.map(({ sequence }) => sequence);
  };
  await publisher.settle(content);
  await publish(maker.make(retitled('Second')));
  await publish(maker.make(retitled('Third')));
  await server.client.del('{lectern:site}:log');
  const change = maker.make(retitled('Fourth'));
  await expect(publish(change)).rejects.toMatchObject({ status: 409 });
  await publisher.settle(content);
  expect(await sequences()).toEqual([1, 2]);
  await publish(change);
  expect(await sequences()).toEqual([1, 2, 3]);
  expect(await publication.readHead()).toEqual(publisher.head);
  // and without another change
  await server.client.del('{lectern:site}:log');
  await publisher.watch(content, (task) => task());
  expect(await sequences()).toEqual([1, 2, 3]);
  expect(publisher.failure).toBeNull();
  await close();
  await server.stop();
});
