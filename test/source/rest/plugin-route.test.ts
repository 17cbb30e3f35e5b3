import { describe, expect, test } from 'vitest';
import { applyBatchInSteps } from '../../../src/changes/batch/apply-batch.ts';
import { checkBatchInSteps } from '../../../src/changes/batch/check-batch.ts';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { Problems } from '../../../src/core/problems.ts';
import { runAtOnce } from '../../../src/core/steps.ts';
import { RestReader } from '../../../src/follow/rest/rest-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { optionsOf } from '../../changes/content.ts';
import { Random } from '../../strapi/random.ts';
import { caseCount } from '../../support/cases.ts';
import { closedAfterEach } from '../../support/closing.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { until } from '../../support/server.ts';
import { type Event, SimulatedStrapi, uids } from './refresh/simulated-strapi.ts';
import { type ServedRoute, secret } from './served-route.ts';
import { ServedStrapi } from './served-strapi.ts';

/** A reader of a Strapi whose plugin has a route, which it reads in place of REST. */

await prepareDigests();

const closing = closedAfterEach();

const fast = { firstPause: 1, attempts: 2 };

async function begin({ seed = 1, given = secret as string | null, spoil = (_: ServedRoute) => {} } = {}) {
  const served = await ServedStrapi.start(new SimulatedStrapi(new Random(seed), 4));
  closing.push(served);
  const route = served.install();
  spoil(route);
  const unchanged: number[] = [];
  const read = (own: string | null) => {
    const reader = new RestReader(served.source(3600, own), (readAt) => unchanged.push(readAt), fast);
    closing.push(reader);
    return reader;
  };
  const reader = read(given);
  const loaded = await reader.load({});
  let { store } = loaded;
  return {
    served,
    route,
    reader,
    loaded,
    unchanged,
    documents: served.strapi.documents('article'),
    change: (documentId: string) => served.change((strapi) => strapi.update('article', documentId)),
    apply(change: SourceChange) {
      if (change.kind !== 'batch') throw new Error(`${change.kind}: ${change.reason}`);
      const { changes } = runAtOnce(checkBatchInSteps(store, change.batch, new Problems('strict'), optionsOf(loaded)));
      store = runAtOnce(applyBatchInSteps(store, changes)).store;
    },
    expectFresh: async (message?: string) =>
      expect(store.contentDigest, message).toBe((await read(null).load({})).store.contentDigest),
  };
}

/** A post that names the documents of events. */
function postOf(sequence: number, events: readonly Event[]) {
  const changes: Record<string, string[]> = {};
  for (const { uid, documentId } of events) changes[uid] = [...(changes[uid] ?? []), documentId];
  return { epoch: 'one', sequence, changes };
}

/** The requests for content by REST. A client that is opened looks for the prefix of the API. */
const byRest = ({ requests }: ServedStrapi) =>
  requests.filter((url) => !url.startsWith('/api/lectern/') && url !== '/api/content-type-builder/components');

describe('the route', () => {
  test('gives the content that REST gives, and is read in its place', async () => {
    const { served, loaded, expectFresh } = await begin();
    expect(byRest(served)).toEqual([]);
    expect(loaded.warnings.map(({ kind }) => kind)).not.toContain('not-pulled');
    await expectFresh();
  });

  test('is not read without a secret', async () => {
    const { route } = await begin({ given: null });
    expect(route.queries).toEqual([]);
  });

  test('gives what posts name', async () => {
    for (let seed = 0; seed < caseCount(6, 4); seed++) {
      const { served, route, reader, apply, expectFresh } = await begin({ seed });
      served.requests.length = 0;
      for (let sequence = 1; sequence < 6; sequence++) {
        const written = new Set<string>();
        const random = new Random(seed * 100 + sequence);
        const events = await served.change((strapi) => random.many(1, 3, () => strapi.act(written)).flat());
        route.position.sequence = sequence;
        // a change of the order of a list of the same rows may be none for the content
        reader.hint(postOf(sequence, [...events, ...(await served.change((strapi) => touch(strapi)))]));
        apply(await reader.next());
        expect(byRest(served)).toEqual([]);
        await expectFresh(`seed ${seed}, post ${sequence}`);
        served.requests.length = 0;
      }
    }
  });

  test('says up to which post everything is read, so that the next one needs no comparison', async () => {
    const begun = await begin({ spoil: (route) => (route.position = { epoch: 'one', sequence: 7 }) });
    const { served, route, reader, documents, change, apply, expectFresh } = begun;
    const events = await change(documents[0]);
    reader.hint(postOf(8, events));
    apply(await reader.next());
    expect(route.queries.filter(({ type }) => type === undefined)).toHaveLength(1);
    await expectFresh();
    served.requests.length = 0;
    await change(documents[1]);
    reader.hint(postOf(10, []));
    apply(await reader.next());
    expect(route.queries.filter(({ type }) => type === undefined)).toHaveLength(2);
    await expectFresh();
    expect(route.queries.some(({ isShort }) => isShort)).toBe(true);
  });
});

const touch = (strapi: SimulatedStrapi) => strapi.update('article', strapi.documents('article')[0]);

describe('API tokens', () => {
  const token = (name: string, more: object = {}) => ({
    name,
    type: 'read-only',
    accessKey: `digest of ${name}`,
    expiresAt: null,
    permissions: [],
    ...more,
  });

  test('are those of the Strapi, without those for its admin panel', async () => {
    const { loaded } = await begin({
      spoil: (route) => {
        route.emailConfirmation = true;
        route.apiTokens = [
          token('one', { kind: 'content-api' }),
          token('of the panel', { kind: 'admin' }),
          token('two', {
            type: 'custom',
            expiresAt: '2030-01-01T00:00:00.000Z',
            permissions: [{ action: 'b' }, { action: 'a' }],
          }),
        ];
      },
    });
    expect(loaded.apiTokens).toEqual([
      { name: 'one', type: 'read-only', permissions: [], accessKey: 'digest of one', expires: null },
      {
        name: 'two',
        type: 'custom',
        permissions: ['a', 'b'],
        accessKey: 'digest of two',
        expires: Date.UTC(2030, 0, 1),
      },
    ]);
    expect(loaded.secrets?.apiTokenSalt).toBe('salt');
    expect(loaded.emailConfirmation).toBe(true);
  });

  test('that change are told at once, and what has changed with them is read afterwards', async () => {
    const { route, reader, documents, change, apply, expectFresh } = await begin();
    route.apiTokens = [token('one')];
    const events = await change(documents[0]);
    const { changes, ...post } = postOf(1, events);
    reader.hint({ ...post, changes: { ...changes, 'admin::api-token': ['one'] } });
    expect(await reader.next()).toMatchObject({ kind: 'access', access: { apiTokens: [{ name: 'one' }] } });
    apply(await reader.next());
    await expectFresh();
  });

  test('that were used are no change', async () => {
    const { route, reader, unchanged } = await begin();
    reader.hint({ epoch: 'one', sequence: 1, changes: { 'admin::api-token': ['one'] } });
    reader.next().catch(() => {});
    await until(() => unchanged.length === 1);
    expect(route.queries.at(-1)?.type).toBeUndefined();
  });
});

/** What can be wrong with an answer, and how the sentence about it begins after the address. */
const faults: [string, (served: ServedStrapi, route: ServedRoute) => void, RegExp][] = [
  ['is missing', (served) => (served.route = null), /has no such route \(404\)/],
  ['is cut', (_, route) => (route.spoil = (text) => text.slice(0, text.length / 2)), /is cut, or its signature/],
  ['is empty', (_, route) => (route.spoil = () => ''), /is cut, or its signature/],
  ['is changed', (_, route) => (route.spoil = (text) => text.replace('"id"', '"ID"')), /is cut, or its signature/],
  [
    'is not JSON',
    (_, route) => {
      route.write = (text) => text.replace('{', '');
    },
    /has a line that is no JSON/,
  ],
  [
    'is of a later version',
    (_, route) => (route.edit = ([head, ...lines]) => [{ ...(head as object), version: 2 }, ...lines]),
    /has the version 2, and Lectern reads 1/,
  ],
  [
    'has something else than rows',
    (_, route) => (route.edit = ([head, ...lines], { type }) => [head, ...(type ? [null] : lines)]),
    /is no row with an "id"/,
  ],
  [
    'describes no Strapi',
    (_, route) => (route.edit = ([head, ...lines], { type }) => [head, ...(type ? lines : [{}])]),
    /does not describe a Strapi/,
  ],
];

describe('an answer that', () => {
  test.each(faults)('%s is replaced by REST, with a warning', async (_, spoil, sentence) => {
    const served = await ServedStrapi.start(new SimulatedStrapi(new Random(1), 4));
    closing.push(served);
    spoil(served, served.install());
    const reader = new RestReader(served.source(3600, secret), () => {}, fast);
    closing.push(reader);
    const loaded = await reader.load({});
    const { message } = loaded.warnings.at(-1)!;
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/lectern\/rows: /);
    expect(message).toMatch(sentence);
    const plain = new RestReader(served.source(3600, null), () => {}, fast);
    closing.push(plain);
    expect(loaded.store.contentDigest).toBe((await plain.load({})).store.contentDigest);
  });

  test('is wrong in the middle of a load is replaced by REST, whose content is that of a whole load by REST', async () => {
    for (const broken of ['article', 'author', 'user'] as const) {
      const served = await ServedStrapi.start(new SimulatedStrapi(new Random(1), 4));
      closing.push(served);
      const route = served.install();
      route.edit = ([head, ...lines], { type }) => [head, ...(type === uids[broken] ? [null] : lines)];
      const load = (own: string | null, cacheDir?: string) => {
        const reader = new RestReader({ ...served.source(3600, own), cacheDir }, () => {}, fast);
        closing.push(reader);
        return reader.load({});
      };
      // the cache folder keeps the rows that were read
      const { store, warnings } = await load(secret, temporaryFolder());
      expect(warnings.at(-1)!.message).toContain('is no row with an "id"');
      expect([broken, store.contentDigest]).toEqual([broken, (await load(null)).store.contentDigest]);
    }
  });

  test.each(faults)('%s later is replaced by REST, and nothing is lost', async (name, spoil, sentence) => {
    const { served, route, reader, documents, change, unchanged } = await begin();
    const events = await change(documents[0]);
    const count = route.queries.length;
    spoil(served, route);
    // an outline is read after a gap
    reader.hint(postOf(name === 'describes no Strapi' ? 3 : 1, events));
    let next = await reader.next();
    if (name === 'describes no Strapi') next = await reader.next();
    expect(next.kind).toBe('reload');
    if (next.kind === 'reload') expect(next.reason).toMatch(sentence);
    const asked = route.queries.length;
    expect(asked).toBeGreaterThanOrEqual(count);
    const { store } = await reader.load({});
    expect(route.queries).toHaveLength(asked);
    const plain = new RestReader(served.source(3600, null), () => {}, fast);
    closing.push(plain);
    expect(store.contentDigest).toBe((await plain.load({})).store.contentDigest);
    // and the posts are read by REST from then on
    served.requests.length = 0;
    reader.hint(postOf(name === 'describes no Strapi' ? 4 : 2, await change(documents[1])));
    expect(await reader.next()).toMatchObject({ kind: 'batch' });
    expect(byRest(served).length).toBeGreaterThan(0);
    expect(unchanged).toEqual([]);
  });

  test('a wrong secret gets a sentence, and REST takes its place', async () => {
    const { loaded } = await begin({ given: 'another secret, of nobody' });
    expect(loaded.warnings.map(({ message }) => message).join()).toMatch(
      /rejects the request \(401: The signature is wrong\)/,
    );
  });

  test('does not come keeps the route', async () => {
    const { served, route, reader, documents, change, apply, expectFresh } = await begin();
    const events = await change(documents[0]);
    served.fault = (url) => (url.startsWith('/api/lectern/') ? { status: 503 } : null);
    reader.hint(postOf(1, events));
    const away = await reader.next().catch((error: unknown) => error);
    expect(away).toBeInstanceOf(SourceAwayError);
    expect(String(away)).not.toContain('query=');
    served.fault = () => null;
    served.requests.length = 0;
    const count = route.queries.length;
    apply(await reader.next());
    expect(route.queries.length).toBeGreaterThan(count);
    expect(byRest(served)).toEqual([]);
    await expectFresh();
  });
});
