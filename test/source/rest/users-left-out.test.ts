/** A Strapi that is read over REST without its users. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pullContent } from '../../../src/follow/rest/pull-content.ts';
import { RestReader } from '../../../src/follow/rest/rest-reader.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import { RestInput } from '../../../src/follow/rest/strapi-input.ts';
import { open } from '../../../src/index.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { countUsers } from '../../../src/load/loaded.ts';
import { userType } from '../../../src/model/schema/schema.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { databaseOf, unpackProject } from '../../load/project/recorded-projects.ts';
import { Random } from '../../strapi/random.ts';
import { caseCount } from '../../support/cases.ts';
import { closedAfterEach } from '../../support/closing.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { sha256 } from '../../support/guide.ts';
import { start, stopServersAfterEach } from '../../support/server.ts';
import { filesIn } from '../../support/written-snapshot.ts';
import { applyTo } from '../project/followed-content.ts';
import { StrapiDatabase } from '../project/strapi-database.ts';
import { SimulatedStrapi, uids } from './refresh/simulated-strapi.ts';
import { secret } from './served-route.ts';
import { ServedStrapi } from './served-strapi.ts';

await prepareDigests();

stopServersAfterEach();

const closing = closedAfterEach();

const impatient = { firstPause: 1, attempts: 2 };

function readerOf(served: ServedStrapi, compareSeconds?: number, ownSecret: string | null = null): RestReader {
  const reader = new RestReader(served.source(compareSeconds, ownSecret), () => {}, impatient);
  closing.push(reader);
  return reader;
}

test.each([
  ['webhooks', undefined],
  ['posts of the plugin', undefined],
  ['posts of a plugin with a route', undefined],
  ['comparisons', 0.05],
] as const)(
  'what %s find leads to a fresh pull without users, and nobody asks for users',
  async (kind, compareSeconds) => {
    for (let seed = 0; seed < caseCount(4, 2); seed++) {
      const random = new Random(seed);
      const served = await ServedStrapi.start(new SimulatedStrapi(random, 6));
      closing.push(served);
      const route = kind === 'posts of a plugin with a route' ? served.install() : null;
      const reader = readerOf(served, compareSeconds, route && secret);
      let loaded = await reader.load({ users: false });
      expect(loaded.store.schema.type(uids.article).attributes.has('editor')).toBe(true);
      for (let round = 0; round < 4; round++) {
        const events = await served.change((strapi) => [
          strapi.update('user', random.pick(strapi.documents('user'))),
          strapi.create('tag'),
          ...random.many(1, 3, () => strapi.act()).flat(),
        ]);
        if (kind === 'webhooks') {
          for (const { event, uid, documentId } of events) reader.hint({ event, uid, entry: { documentId } });
        } else if (kind !== 'comparisons') {
          const changes: Record<string, string[]> = {};
          for (const { uid, documentId } of events) changes[uid] = [...(changes[uid] ?? []), documentId];
          if (route) route.position.sequence = round + 1;
          reader.hint({ epoch: 'one', sequence: round + 1, changes });
        }
        const found = await reader.next();
        if (found.kind !== 'batch') throw new Error(found.kind);
        expect(found.batch.entities.map(({ type }) => type)).not.toContain(uids.user);
        loaded = applyTo(loaded, found.batch);
        const fresh = await readerOf(served).load({ users: false });
        expect([seed, round, loaded.store.contentDigest]).toEqual([seed, round, fresh.store.contentDigest]);
        expect(countUsers(fresh.store)).toBe(0);
      }
      if (route) expect(route.queries.map(({ type }) => type)).not.toContain(uids.user);
      else expect(served.requests.filter((url) => /^\/api\/users(\?|$)/.test(url))).toEqual([]);
      await readerOf(served).load({});
      expect(served.requests.filter((url) => /^\/api\/users(\?|$)/.test(url))).not.toEqual([]);
    }
  },
);

test('rows of a failed pull with users are removed', async () => {
  const strapi = new SimulatedStrapi(new Random(1), 6);
  const served = await ServedStrapi.start(strapi);
  closing.push(served);
  const cacheDir = temporaryFolder();
  const load = (users: boolean) => {
    const reader = new RestReader({ ...served.source(), cacheDir }, () => {}, impatient);
    closing.push(reader);
    return reader.load({ users });
  };
  const [user] = strapi.documents('user');
  const kept = () => Object.values(filesIn(cacheDir)).join('');
  served.fault = (url) => (url.startsWith('/api/home?') && url.includes('populate') ? { status: 400 } : null);
  await expect(load(true)).rejects.toThrow('answers with 400');
  expect(kept()).toContain(user);
  await expect(load(false)).rejects.toThrow('answers with 400');
  expect(kept()).not.toContain(user);
  expect(kept()).toContain(strapi.documents('tag')[0]);
  served.fault = () => null;
  expect(countUsers((await load(false)).store)).toBe(0);
  expect(kept()).toBe('');
});

test('no file of a pull has a user, not even where a polymorphic relation shows one', async () => {
  const project = unpackProject('museum');
  const database = new StrapiDatabase(databaseOf(project));
  const [user] = database.select('up_users');
  for (const { id } of database.select('remarks')) {
    database.update('remarks', id, { target_id: user.id, target_type: userType });
  }
  await database.close();
  const tokens = [{ name: 'reader', type: 'full-access' as const, sha256: sha256('reader') }];
  const { port } = await start({}, await open(project, { tokens }));
  const pull = async (users: boolean) => {
    const client = await StrapiClient.open({ url: `http://127.0.0.1:${port}`, token: 'reader', firstPause: 1 });
    const input = new RestInput(client, project, users);
    const folder = join(temporaryFolder(), 'pulled');
    let rows = '';
    await pullContent(input, await input.outline(), folder, ({ stage }) => {
      if (stage === 'files') rows = Object.values(filesIn(`${folder}.pull`)).join('');
    });
    return { rows, folder };
  };
  const values = [user.email, user.document_id].map(String);
  const whole = await pull(true);
  for (const value of values) expect(whole.rows).toContain(value);
  const { rows, folder } = await pull(false);
  expect(rows.length).toBeGreaterThan(1000);
  const written = readFileSync(join(folder, 'entities/entities_00001.jsonl'), 'utf8');
  for (const value of values) {
    expect(rows).not.toContain(value);
    expect(written).not.toContain(value);
  }
  const loaded = await loadSnapshot(folder);
  expect([countUsers(loaded.store), countUsers((await loadSnapshot(whole.folder)).store)]).toEqual([
    0,
    expect.toSatisfy((count: number) => count > 0),
  ]);
});
