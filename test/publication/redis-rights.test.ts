import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenedPublication, openPublication } from '../../src/publication/open-publication.ts';
import type { Member } from '../../src/publication/publication.ts';
import { publisherCommands, replicaCommands } from '../../src/publication/redis/explain-error.ts';
import { temporaryFolder } from '../support/folders.ts';
import { waitFor } from '../support/wait.ts';
import { changeAt, headAt, stateAt } from './contents.ts';
import { startRedis, type TestServer } from './redis-server.ts';

const images = temporaryFolder('lectern-images-');
const large = 'x'.repeat(3_000_000);
let server: TestServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  await server.stop();
});

const publisherKeys = (name: string) => [`~{lectern:${name}}:*`];
const replicaKeys = (name: string) => [`%R~{lectern:${name}}:*`, `~{lectern:${name}}:member*`];
const member: Member = { id: 'a', role: 'replica', name: 'host 1', version: null, startedAt: 5 };

/** Opens a name as a user who has keys and commands, and nothing else. */
async function openAs(
  name: string,
  { keys, commands, isPublisher = false }: { keys: string[]; commands: string[]; isPublisher?: boolean },
): Promise<OpenedPublication> {
  const rules = [...keys, ...commands.map((command) => `+${command}`)];
  await server.client.sendCommand(['ACL', 'SETUSER', 'least', 'reset', 'on', '>password', ...rules]);
  const environment = { LECTERN_REDIS_USERNAME: 'least', LECTERN_REDIS_PASSWORD: 'password' };
  return openPublication({ to: server.url, name, images, isPublisher }, environment, () => {});
}

/** Everything that a publisher calls. */
async function publish({ publication, presence }: OpenedPublication): Promise<void> {
  await publication.readHead();
  expect(await publication.appendIf(null, headAt(0))).toBeNull();
  expect(await publication.appendIf(stateAt(0), headAt(1), [changeAt(1, large)])).toBeNull();
  expect(await publication.appendIf(stateAt(0), headAt(1), [changeAt(1, large)])).toEqual({ head: headAt(1) });
  expect(await publication.appendIf(stateAt(1), headAt(2, { imageSequence: 1 }), [changeAt(2)])).toBeNull();
  expect(await publication.appendIf(stateAt(2), headAt(2, { imageSequence: 2 }))).toBeNull();
  expect((await publication.readFrom(stateAt(1), { wait: 0 })).changes).toEqual([changeAt(2)]);
  expect(await publication.appendIf(stateAt(2), headAt(0, { epoch: 2 }))).toBeNull();
  await presence.renew(member, 60);
  await presence.members();
  await presence.leave(member.id);
}

/** Everything that a replica calls, of a log with a large change and a member that has expired. */
async function replicate(name: string, { publication, presence }: OpenedPublication): Promise<void> {
  await publication.readHead();
  expect((await publication.readFrom(stateAt(0), { wait: 0 })).changes).toEqual([changeAt(1, large), changeAt(2)]);
  await publication.readFrom(stateAt(2), { wait: 50 });
  await presence.renew(member, 60);
  await presence.members();
  expect(await server.client.sMembers(`{lectern:${name}}:members`)).toEqual(['a']);
  await presence.leave(member.id);
}

/** Publishes what `replicate` reads. */
async function prepare(name: string): Promise<void> {
  const { publication, presence, close } = await openPublication({ to: server.url, name, images }, {}, () => {});
  await publication.appendIf(null, headAt(0));
  await publication.appendIf(stateAt(0), headAt(2), [changeAt(1, large), changeAt(2)]);
  await presence.renew({ ...member, id: 'expired' }, 0.001);
  await close();
  await waitFor(async () => expect(await server.client.exists(`{lectern:${name}}:member:expired`)).toBe(0));
}

test.each(['publisher', 'replica'])('docs/replicas.md has the rights of a %s', async (role) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/replicas.md'), 'utf8');
  const line = new RegExp(`^ACL SETUSER ${role} on >PASSWORD (.*)$`, 'm').exec(page)![1];
  await server.client.sendCommand(['ACL', 'SETUSER', role, 'on', '>password', ...line.split(' ')]);
  const environment = { LECTERN_REDIS_USERNAME: role, LECTERN_REDIS_PASSWORD: 'password' };
  await server.client.del(await server.client.keys('{lectern:site}:*').then((keys) => ['none', ...keys]));
  if (role === 'replica') await prepare('site');
  const isPublisher = role === 'publisher';
  const opened = await openPublication({ to: server.url, name: 'site', images, isPublisher }, environment, () => {});
  await (isPublisher ? publish(opened) : replicate('site', opened));
  await opened.close();
});

test('a publisher works with the rights that the message names', async () => {
  const opened = await openAs('publisher', {
    keys: publisherKeys('publisher'),
    commands: publisherCommands.split(' '),
    isPublisher: true,
  });
  await publish(opened);
  await opened.close();
  expect(await server.client.keys('{lectern:publisher}:part:*')).toEqual([]);
});

test('a replica works with the rights that the message names', async () => {
  await prepare('replica');
  const opened = await openAs('replica', { keys: replicaKeys('replica'), commands: replicaCommands.split(' ') });
  await replicate('replica', opened);
  await opened.close();
});

test.each(publisherCommands.split(' '))('a publisher needs %s', async (missing) => {
  const name = `publisher-without-${missing}`;
  const commands = publisherCommands.split(' ').filter((command) => command !== missing);
  // a server that knows the script needs no EVAL
  await server.client.sendCommand(['SCRIPT', 'FLUSH']);
  let opened: OpenedPublication | undefined;
  const call = async () => {
    opened = await openAs(name, { keys: publisherKeys(name), commands, isPublisher: true });
    await publish(opened);
  };
  const error = await call().catch((thrown) => thrown);
  await opened?.close();
  expect(error.message).toMatch(
    new RegExp(`does not let this user do that: .*\\b${missing}\\b.*A publisher needs`, 'i'),
  );
  // only what members say of themselves is found out later
  if (opened) expect(['set', 'sadd', 'srem', 'mget', 'del', 'eval']).toContain(missing);
});

test.each(replicaCommands.split(' '))('a replica needs %s', async (missing) => {
  const name = `replica-without-${missing}`;
  await prepare(name);
  const commands = replicaCommands.split(' ').filter((command) => command !== missing);
  let opened: OpenedPublication | undefined;
  const call = async () => {
    opened = await openAs(name, { keys: replicaKeys(name), commands });
    await replicate(name, opened);
  };
  const error = await call().catch((thrown) => thrown);
  await opened?.close();
  expect(`${error.message} ${error.actual ?? ''}`).toMatch(
    missing === 'srem' ? /expired/ : new RegExp(`does not let this user do that: .*\\b${missing}\\b`, 'i'),
  );
});

test('a replica can change nothing but what members say', async () => {
  await prepare('readonly');
  const commands = [...publisherCommands.split(' '), 'ping'];
  const { publication, close } = await openAs('readonly', { keys: replicaKeys('readonly'), commands });
  await expect(publication.appendIf(stateAt(2), headAt(3), [changeAt(3)])).rejects.toThrow(/does not let this user/);
  await close();
  const keys = replicaKeys('readonly');
  await expect(openAs('readonly', { keys, commands, isPublisher: true })).rejects.toThrow(/does not let this user/);
});

test('a database with another number needs select', async () => {
  const commands = replicaCommands.split(' ');
  const openSecond = async (more: string[]) => {
    await openAs('second', { keys: replicaKeys('second'), commands: [...commands, ...more] }).then(({ close }) =>
      close(),
    );
    const environment = { LECTERN_REDIS_USERNAME: 'least', LECTERN_REDIS_PASSWORD: 'password' };
    return openPublication({ to: server.url.replace(/0$/, '1'), name: 'second', images }, environment, () => {});
  };
  await expect(openSecond([])).rejects.toThrow(/'select' command.*\+select for a database other than 0/);
  const { publication, close } = await openSecond(['select']);
  expect(await publication.readHead()).toBeNull();
  await close();
});

test('keys of another name are out of reach', async () => {
  const commands = publisherCommands.split(' ');
  for (const isPublisher of [true, false]) {
    const opening = openAs('other', { keys: publisherKeys('mine'), commands, isPublisher });
    await expect(opening).rejects.toThrow(
      /^redis:\/\/127\.0\.0\.1:\d+\/0 does not let this user do that: .*\. A publisher needs "~\{lectern:NAME\}:\*/,
    );
  }
});
