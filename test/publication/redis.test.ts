import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPublication } from '../../src/publication/open-publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { changeAt, headAt, stateAt } from './contents.ts';
import { startRedis, type TestServer } from './redis-server.ts';
import { testDriver } from './suite.ts';

const images = temporaryFolder('lectern-images-');
let server: TestServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  await server.stop();
});

const keyOf = (name: string, key: string) => `{lectern:${name}}:${key}`;
const open = (name: string) => openPublication({ to: server.url, name, images, isPublisher: true }, {}, () => {});
const idsOf = async (name: string) => {
  const entries = (await server.client.sendCommand(['XRANGE', keyOf(name, 'log'), '-', '+'])) as [string, string[]][];
  return entries.map(([id]) => id);
};

testDriver('Redis', {
  open,
  writeHead: async (name, head) => {
    if (head === null) return void (await server.client.del(keyOf(name, 'head')));
    const { format = 1, epoch, sequence, digest, ...more } = head as Record<string, any>;
    const fields = { format, epoch, sequence, digest, json: JSON.stringify(more) };
    await server.client.hSet(
      keyOf(name, 'head'),
      Object.entries(fields).flatMap(([key, value]) => [key, String(value)]),
    );
  },
  storedChanges: idsOf,
  loseChange: async (name, version) => void (await server.client.xDel(keyOf(name, 'log'), version)),
  damageChange: async (name, version) => {
    const log = keyOf(name, 'log');
    const entries = (await server.client.sendCommand(['XRANGE', log, '-', '+'])) as [string, string[]][];
    await server.client.del(log);
    for (const [id, fields] of entries) {
      const stored = id === version ? fields.map((each) => (each.startsWith('[') ? '[1' : each)) : fields;
      await server.client.sendCommand(['XADD', log, id, ...stored]);
    }
  },
});

test('large changes leave no lists behind when they are trimmed, refused or of an earlier epoch', async () => {
  const name = 'lists';
  const { publication, close } = await open(name);
  const large = 'x'.repeat(3_000_000);
  await publication.appendIf(null, headAt(0));
  await publication.appendIf(stateAt(0), headAt(1), [changeAt(1, large)]);
  const lists = () => server.client.keys(`${keyOf(name, 'part')}:*`);
  expect(await lists()).toHaveLength(1);
  expect(await server.client.ttl((await lists())[0])).toBe(-1);
  expect(await publication.appendIf(stateAt(0), headAt(1), [changeAt(1, large)])).toEqual({ head: headAt(1) });
  expect(await lists()).toHaveLength(1);
  await publication.appendIf(stateAt(1), headAt(2), [changeAt(2, large)]);
  await publication.appendIf(stateAt(2), headAt(2, { imageSequence: 1 }));
  expect(await lists()).toHaveLength(2);
  await publication.appendIf(stateAt(2), headAt(2, { imageSequence: 2 }));
  expect(await lists()).toHaveLength(1);
  expect((await publication.readFrom(stateAt(1), { wait: 0 })).changes).toEqual([changeAt(2, large)]);
  await publication.appendIf(stateAt(2), headAt(0, { epoch: 2 }));
  expect(await lists()).toEqual([]);
  await close();
});

test.each(['missing', 'shorter', 'other'])('a large change with %s parts is left out', async (kind) => {
  const name = `parts-${kind}`;
  const { publication, close } = await open(name);
  await publication.appendIf(null, headAt(0));
  await publication.appendIf(stateAt(0), headAt(3), [changeAt(1), changeAt(2, 'x'.repeat(3_000_000)), changeAt(3)]);
  const [key] = await server.client.keys(`${keyOf(name, 'part')}:*`);
  if (kind === 'missing') await server.client.del(key);
  if (kind === 'shorter') await server.client.rPop(key);
  if (kind === 'other') await server.client.lSet(key, 1, 'y'.repeat(2 ** 20));
  expect(await publication.readFrom(stateAt(0), { wait: 0 })).toEqual({ head: headAt(3), changes: [changeAt(1)] });
  expect(await publication.readFrom(stateAt(1), { wait: 0 })).toEqual({ head: headAt(3), changes: [] });
  await close();
});
