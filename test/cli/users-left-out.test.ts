/** Servers with the setting `users: false`: no file, reply or replica has a user. */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { userType } from '../../src/model/schema/schema.ts';
import { databaseOf, unpackProject } from '../load/project/recorded-projects.ts';
import { StrapiDatabase } from '../source/project/strapi-database.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { until } from '../support/server.ts';
import { endProcessesAfterEach, type ServingProcess, spawnProcess, startProcess } from '../support/threads.ts';

endProcessesAfterEach();

const ada = 'ada@private.example';
const bob = 'bob@private.example';

/** A snapshot with the user Ada, who keeps a thing. */
function snapshotWithAda(): string {
  const path = join(temporaryFolder(), 'snapshot');
  const keeper = { type: 'relation', relation: 'manyToOne', target: userType };
  const actions = ['api::thing.thing.find', 'api::thing.thing.findOne'];
  const users = ['find', 'findOne', 'count', 'me'].map((action) => `${userType}.${action}`);
  const snapshot = thingSnapshot({ title: { type: 'string' }, keeper }, [], {
    roles: [{ type: 'public', permissions: [...actions, ...users] }],
  });
  const files = {
    'content-types/thing.json': snapshot.contentTypes[0],
    'roles.json': snapshot.roles,
    'entries/thing.json': [{ documentId: 'one', title: 'First', keeper: 'ada' }],
    'entries/user.json': [{ id: 1, documentId: 'ada', username: 'ada', email: ada, confirmed: true, role: 'public' }],
  };
  return writeFiles(path, files);
}

function writeFiles(folder: string, files: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(value));
  }
  return folder;
}

/** The names of the files below a folder that have a text. */
function filesWith(folder: string, text: string): string[] {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  expect(names.length).toBeGreaterThan(0);
  return names.filter((name) => readFileSync(join(folder, name)).includes(text));
}

const admin = { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'contents', 'pin'] }] };

function send({ adminPort }: ServingProcess, method: string, path: string, body: object): Promise<HttpAnswer> {
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  return askServer(adminPort!, path, { method, headers, body: JSON.stringify(body) });
}

const post = (to: ServingProcess, body: object) => send(to, 'POST', '/_changes', body);

const run = promisify(execFile);

async function end({ child, exit }: ServingProcess): Promise<void> {
  child.kill('SIGTERM');
  await exit;
}

const upsertThing = (documentId: string) => ({ upsert: 'api::thing.thing', entry: { documentId, title: documentId } });
const upsertBob = { upsert: userType, entry: { documentId: 'bob', username: 'bob', email: bob } };

/** A place for everything that the processes of a test write. */
function places() {
  const written = temporaryFolder();
  const to = `file://${join(written, 'publication')}`;
  const publish = { to, name: 'site' };
  const publisher = (source: string, settings: object = {}, journal = 'journal') =>
    startProcess(source, [...cache('publisher'), '--journal', join(written, journal)], {
      admin,
      publish,
      journalBytes: 1,
      ...settings,
    });
  const cache = (name: string) => ['--cache', join(written, name), '--admin-port', '0'];
  const replica = (settings: object = {}, name = 'replica') =>
    startProcess(to, ['--name', 'site', ...cache(name)], settings);
  return { written, to, cache, publisher, replica };
}

/** What the two servers answer. */
const urls = ['/api/things?populate=*&sort=id', '/api/users', '/api/users/count', '/api/users/1', '/api/users/me'];

function jwtOf(id: number, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ id, exp: Math.ceil(Date.now() / 1000) + 60 })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

test('a publisher and its replica have no users in replies and files, over changes, compaction and restarts', async () => {
  const { written, publisher, replica } = places();
  const source = snapshotWithAda();
  let first = await publisher(source, { users: false });
  const second = await replica();
  const areSame = async () => {
    const version = (await askServer(first.port, urls[0])).headers['x-lectern-version'];
    await until(async () => (await askServer(second.port, urls[0])).headers['x-lectern-version'] === version);
    for (const url of urls) {
      for (const headers of [undefined, { Authorization: `Bearer ${jwtOf(1, 'secret')}` }]) {
        const both = [first, second].map(({ port }) => askServer(port, url, { headers }));
        const [one, other] = await Promise.all(both);
        expect([url, one.status, String(one.body)]).toEqual([url, other.status, String(other.body)]);
        if (headers) expect(one.status).toBe(401);
      }
    }
  };
  const [things, users, count, one] = await Promise.all(urls.map((url) => askServer(first.port, url)));
  expect(things.json().data).toMatchObject([{ documentId: 'one', keeper: null }]);
  expect(users.json().data).toEqual([]);
  expect(String(count.body)).toMatch(/\b0\b/);
  // as for any id that no user has
  expect(one.status).toBe(204);

  const refused = await post(first, { changes: [upsertThing('two'), upsertBob] });
  expect([refused.status, refused.json().error.message]).toEqual([
    422,
    expect.stringContaining('changes[1].entry: users are left out of this content, by the setting users: false'),
  ]);
  const entity = { type: userType, id: 7, data: { documentId: 'bob', email: bob } };
  const batch = await post(first, { batch: { entities: [entity], links: [] } });
  expect([batch.status, batch.json().error.message]).toEqual([
    422,
    expect.stringContaining(`entities[0], ${userType} 7: users are left out of this content`),
  ]);
  const linked = { changes: [{ patch: 'api::thing.thing', documentId: 'one', set: { keeper: 'ada' } }] };
  expect((await post(first, linked)).status).toBe(422);

  for (const name of ['two', 'three']) expect((await post(first, { changes: [upsertThing(name)] })).status).toBe(200);
  await areSame();
  await end(first);
  first = await publisher(source, { users: false });
  expect((await post(first, { changes: [upsertThing('four')] })).status).toBe(200);
  await areSame();
  await until(() => readdirSync(written).some((name) => /^journal\..*image$/.test(name)));
  for (const text of [ada, bob]) expect(filesWith(written, text)).toEqual([]);
});

test('what a start without the setting has written is refused or replaced', async () => {
  const { written, publisher, replica } = places();
  const source = snapshotWithAda();
  const before = await publisher(source, { journalBytes: 2 ** 24 });
  expect((await post(before, { changes: [upsertBob, upsertThing('zero')] })).status).toBe(200);
  const early = await replica();
  expect((await askServer(early.port, '/api/users')).json().data.length).toBe(2);
  await Promise.all([end(before), end(early)]);
  expect(filesWith(join(written, 'replica'), ada)).not.toEqual([]);
  expect(filesWith(written, ada)).not.toEqual([]);
  expect(filesWith(written, bob).sort()).toEqual(['journal', expect.stringMatching(/^publication\/.*log/)]);

  const settings = { admin, users: false };
  const journal = ['--journal', join(written, 'journal')];
  const other = spawnProcess(source, ['--port', '0', ...journal], settings);
  await other.line(({ msg }) => /the journal .* belongs to .* "lectern export" writes both/.test(msg));
  expect((await other.exit)[0]).toBe(1);
  const exported = join(temporaryFolder(), 'exported');
  await run(process.execPath, [cli, 'export', source, ...journal, '--out', exported]);

  const after = await publisher(exported, { users: false }, 'new-journal');
  const things = (await askServer(after.port, '/api/things')).json().data;
  expect(things.map(({ documentId }: { documentId: string }) => documentId)).toEqual(['one', 'zero']);
  expect((await post(after, { changes: [upsertThing('two')] })).status).toBe(200);
  const follower = await replica({ users: false });
  expect((await askServer(follower.port, '/api/users')).json().data).toEqual([]);
  // the log is a new one, and nothing of the replica has them
  expect(filesWith(written, bob)).toEqual(['journal']);
  expect(filesWith(join(written, 'replica'), ada)).toEqual([]);
});

test('a journal that gives a user to a snapshot without users is refused', async () => {
  const source = writeFiles(join(temporaryFolder(), 'snapshot'), {
    'content-types/thing.json': thingSnapshot({ title: { type: 'string' } }, []).contentTypes[0],
    'entries/thing.json': [],
  });
  const folder = temporaryFolder();
  const args = (journal: string) => ['--journal', join(folder, journal), '--admin-port', '0'];
  const begun = async (journal: string, settings: object) => {
    const serving = await startProcess(source, args(journal), { admin, ...settings });
    expect((await post(serving, { changes: [upsertBob] })).status).toBe(200);
    return serving;
  };
  await end(await begun('records', {}));
  const compacted = await begun('compacted', { journalBytes: 1 });
  // the image is written before the journal that begins with it
  await until(
    () =>
      readdirSync(folder).some((name) => /^compacted\..*image$/.test(name)) &&
      !readFileSync(join(folder, 'compacted')).includes(bob),
  );
  await end(compacted);
  const refusal = async (journal: string) => {
    const serving = spawnProcess(source, ['--port', '0', ...args(journal)], { admin, users: false });
    const { msg } = await serving.line(({ level }) => level >= 50);
    expect((await serving.exit)[0]).toBe(1);
    return msg as string;
  };
  expect(await refusal('records')).toMatch(
    /cannot apply \d+-1 of the journal .*\n.*users are left out of this content, by the setting users: false/,
  );
  expect(await refusal('compacted')).toMatch(
    /the image of the journal .* does not load: .*: the image holds 1 user, and the setting users is false. Start with the settings dialect, database and users of the last start/,
  );
});

test('a replica without users refuses a publisher with users, and keeps nothing of it', async () => {
  const { written, to, cache, publisher } = places();
  await publisher(snapshotWithAda());
  const settings = { users: false, follow: { startSeconds: 2 } };
  const replica = spawnProcess(to, ['--port', '0', '--name', 'site', ...cache('replica')], settings);
  const { msg } = await replica.line(({ level }) => level >= 50);
  expect(msg).toContain(
    'the publisher has users, and the setting users of this replica is false. Set it to false at the publisher, or leave it out here',
  );
  expect((await replica.exit)[0]).toBe(1);
  expect(filesWith(written, ada)).not.toEqual([]);
  expect(
    (readdirSync(join(written, 'replica'), { recursive: true }) as string[]).filter((name) => /lectern$/.test(name)),
  ).toEqual([]);
});

test('a replica without users stays at the version before its publisher gets a user', async () => {
  const { publisher, replica } = places();
  const source = writeFiles(join(temporaryFolder(), 'snapshot'), {
    'content-types/thing.json': thingSnapshot({ title: { type: 'string' } }, []).contentTypes[0],
    'roles.json': [{ type: 'public', permissions: [`${userType}.find`] }],
    'entries/thing.json': [],
  });
  const first = await publisher(source);
  const second = await replica({ users: false });
  expect((await post(first, { changes: [upsertBob] })).status).toBe(200);
  await second.line(({ msg }) => /users are left out|the publisher has users/.test(msg));
  expect((await askServer(second.port, '/api/users')).json().data).toEqual([]);
});

test('a followed project is cached without users, and what was cached with them goes', async () => {
  const project = unpackProject('museum');
  const database = new StrapiDatabase(databaseOf(project), true);
  const [{ email }] = database.select('up_users', '"email" IS NOT NULL');
  await database.close();
  const folder = temporaryFolder();
  const images = () =>
    (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /^sources.*lectern$/.test(name));
  const serve = async (settings: object) => {
    const serving = await startProcess(project, ['--cache', folder, '--admin-port', '0'], settings);
    await until(() => images().length > 0);
    return serving;
  };
  const before = await serve({});
  await end(before);
  expect(filesWith(folder, String(email)).length).toBe(1);
  const [old] = images();
  const serving = await serve({ users: false });
  await until(() => images().length === 1 && images()[0] !== old);
  expect(filesWith(folder, String(email))).toEqual([]);
  // the secret of the project is there, and no user
  const secret = /JWT_SECRET=(\S+)/.exec(readFileSync(join(project, '.env'), 'utf8'))![1];
  const headers = { Authorization: `Bearer ${jwtOf(1, secret)}` };
  expect((await askServer(serving.port, '/api/users/me', { headers })).status).toBe(401);
});

test('a publisher does not start with a pinned version that has users', async () => {
  const { written, to, cache, publisher } = places();
  const source = snapshotWithAda();
  const first = await publisher(source);
  const version = (await askServer(first.port, '/api/things')).headers['x-lectern-version'];
  expect((await send(first, 'PUT', '/_pin', { version })).status).toBe(200);
  await end(first);
  const args = ['--port', '0', ...cache('publisher'), '--journal', join(written, 'next')];
  const second = spawnProcess(source, args, { publish: { to, name: 'site' }, users: false });
  await second.line(({ msg }) => /the image holds 1 user, and the setting users is false/.test(msg));
  expect((await second.exit)[0]).toBe(1);
  const kept = readdirSync(join(written, 'publisher'), { recursive: true }) as string[];
  expect(kept.filter((name) => statSync(join(written, 'publisher', name)).isFile())).toEqual([]);
});

test('of contents that are put, an image with users is refused, and a snapshot has none', async () => {
  const folder = temporaryFolder();
  const source = snapshotWithAda();
  await run(process.execPath, [cli, 'build', source, '--out', join(folder, 'image.lectern')]);
  cpSync(source, join(folder, 'snapshot'), { recursive: true });
  const serving = await startProcess(source, ['--admin-port', '0'], { admin, users: false, contents: { folder } });
  const put = (snapshot: string) => send(serving, 'PUT', '/_contents/next', { snapshot });
  const refused = await put('image.lectern');
  expect([refused.status, refused.json().error.message]).toEqual([
    422,
    expect.stringContaining('the image holds 1 user, and the setting users is false'),
  ]);
  expect((await put('snapshot')).status).toBe(201);
  expect((await askServer(serving.port, '/next/api/users')).json().data).toEqual([]);
});
