import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyBatchInSteps } from '../../../src/changes/batch/apply-batch.ts';
import type { Batch } from '../../../src/changes/batch/batch.ts';
import { checkBatchInSteps } from '../../../src/changes/batch/check-batch.ts';
import { Problems } from '../../../src/core/problems.ts';
import { runAtOnce } from '../../../src/core/steps.ts';
import { RestReader } from '../../../src/follow/rest/rest-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { open } from '../../../src/index.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import type { Store } from '../../../src/store/store.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { optionsOf } from '../../changes/content.ts';
import { Random } from '../../strapi/random.ts';
import { caseCount } from '../../support/cases.ts';
import { closedAfterEach } from '../../support/closing.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { sha256, thingSnapshot } from '../../support/guide.ts';
import { start as startServer, stopServersAfterEach, until } from '../../support/server.ts';
import { type Event, SimulatedStrapi, uids } from './refresh/simulated-strapi.ts';
import { ServedStrapi } from './served-strapi.ts';

/** A reader of a Strapi over REST: what it loads and the batches that follow lead to what a fresh pull gives. */

await prepareDigests();

stopServersAfterEach();

const closing = closedAfterEach();

/** Requests fail at once. */
const impatient = { firstPause: 1, attempts: 2 };

type Begun = Awaited<ReturnType<typeof begin>>;

async function begin(seed: number, compareSeconds?: number, instead?: ServedStrapi['instead']) {
  const random = new Random(seed);
  const served = await ServedStrapi.start(new SimulatedStrapi(random, 6));
  if (instead) served.instead = instead;
  closing.push(served);
  const unchanged: number[] = [];
  const reader = new RestReader(served.source(compareSeconds), (readAt) => unchanged.push(readAt), impatient);
  closing.push(reader);
  const loaded = await reader.load({});
  return { random, served, reader, unchanged, content: new Followed(loaded, served) };
}

/** Content to which batches are applied. */
class Followed {
  readonly #loaded: LoadedSnapshot;
  readonly #served: ServedStrapi;
  store: Store;

  constructor(loaded: LoadedSnapshot, served: ServedStrapi) {
    this.#loaded = loaded;
    this.#served = served;
    this.store = loaded.store;
  }

  apply(change: SourceChange): Batch {
    if (change.kind !== 'batch') throw new Error(`${change.kind}: ${change.reason}`);
    const { changes } = runAtOnce(
      checkBatchInSteps(this.store, change.batch, new Problems('strict'), optionsOf(this.#loaded)),
    );
    this.store = runAtOnce(applyBatchInSteps(this.store, changes)).store;
    return change.batch;
  }

  async expectFresh(message?: string): Promise<void> {
    const fresh = new RestReader(this.#served.source(), () => {}, impatient);
    closing.push(fresh);
    expect(this.store.contentDigest, message).toBe((await fresh.load({})).store.contentDigest);
  }
}

const bodyOf = ({ event, uid, documentId }: Event) => ({ event, uid, model: uid.split('.')[1], entry: { documentId } });

/** Makes some changes, each of one to three actions, and calls `afterwards` with the events of each. */
async function eachChange(
  seed: number,
  compareSeconds: number | undefined,
  afterwards: (begun: Begun, events: Event[], message: string) => Promise<void>,
): Promise<void> {
  const begun = await begin(seed, compareSeconds);
  const { served, random } = begun;
  for (let round = 0; round < 4; round++) {
    const events = await served.change((strapi) => random.many(1, 3, () => strapi.act()).flat());
    if (events.length > 0) await afterwards(begun, events, `seed ${seed}, round ${round}`);
  }
}

const seeds = Array.from({ length: caseCount(2, 1) }, (_, seed) => seed);

describe('the batches lead to the content of a fresh pull', () => {
  test('with webhooks that come twice and in another order', async () => {
    for (const seed of seeds) {
      await eachChange(seed, undefined, async ({ random, reader, content }, events, message) => {
        for (const event of random.shuffled([...events, events[0]])) reader.hint(bodyOf(event));
        content.apply(await reader.next());
        await content.expectFresh(message);
      });
    }
  });

  test.each([
    ['that say nothing', () => ({ event: 'trigger-test' })],
    ['without a body', () => undefined],
    ['whose entry is missing', ({ event, uid }: Event) => ({ event, uid })],
    ['whose entry is the text null', ({ event, uid }: Event) => ({ event, uid, entry: 'null' })],
  ])('with webhooks %s', async (_, body) => {
    for (const seed of seeds) {
      await eachChange(seed, undefined, async ({ reader, content }, events, message) => {
        for (const event of events) reader.hint(body(event));
        content.apply(await reader.next());
        await content.expectFresh(message);
      });
    }
  });

  test('without webhooks, at the next comparison', async () => {
    for (const seed of seeds) {
      await eachChange(seed, 0.05, async ({ reader, content }, _, message) => {
        content.apply(await reader.next());
        await content.expectFresh(message);
      });
    }
  });

  test('with webhooks for some changes only, after the next comparison', async () => {
    for (const seed of seeds) {
      const { random, served, reader, content, unchanged } = await begin(seed, 0.3);
      for (let round = 0; round < 6; round++) {
        const events = await served.change((strapi) => random.many(1, 3, () => strapi.act()).flat());
        for (const event of events) if (random.chance(60)) reader.hint(bodyOf(event));
      }
      const compared = Date.now();
      void applyAll(reader, content);
      await until(() => unchanged.some((readAt) => readAt > compared));
      await content.expectFresh(`seed ${seed}`);
    }
  });

  test('with changes while others are requested', async () => {
    for (const seed of seeds) {
      const { random, served, reader, content, unchanged } = await begin(seed, 0.3);
      let left = 8;
      served.before = async () => {
        if (left === 0 || !random.chance(20)) return;
        left--;
        for (const event of await served.change((strapi) => strapi.act())) reader.hint(bodyOf(event));
      };
      void applyAll(reader, content);
      await until(() => left === 0);
      const calm = Date.now();
      await until(() => unchanged.some((readAt) => readAt > calm));
      await content.expectFresh(`seed ${seed}`);
    }
  });
});

async function applyAll(reader: RestReader, content: Followed): Promise<void> {
  try {
    for (;;) content.apply(await reader.next());
  } catch {
    // the reader is closed
  }
}

describe('a failure', () => {
  test('of the Strapi is an error, and what could not be read is read later', async () => {
    const { served, reader, content } = await begin(1);
    const [documentId] = served.strapi.documents('article');
    const [event] = await served.change((strapi) => strapi.update('article', documentId));
    served.fault = () => ({ status: 500 });
    reader.hint(bodyOf(event));
    await expect(reader.next()).rejects.toThrow('answers with 500: Fault');
    served.fault = () => null;
    content.apply(await reader.next());
    await content.expectFresh();
  });

  test('in the middle of a refresh leaves nothing half read', async () => {
    const { served, reader, content } = await begin(2);
    const events = await served.change((strapi) =>
      strapi.documents('article').flatMap((documentId) => strapi.publish('article', documentId)),
    );
    const before = served.requests.length;
    served.fault = () => (served.requests.length > before + 3 ? { status: 503 } : null);
    for (const event of events) reader.hint(bodyOf(event));
    await expect(reader.next()).rejects.toThrow('answers with 503: Fault');
    served.fault = () => null;
    content.apply(await reader.next());
    await content.expectFresh();
  });

  test('by too many requests is waited for', async () => {
    const { served, reader, content } = await begin(3);
    const [documentId] = served.strapi.documents('article');
    const [event] = await served.change((strapi) => strapi.update('article', documentId));
    let limited = 1;
    served.fault = () => (limited-- > 0 ? { status: 429, headers: { 'Retry-After': '1' } } : null);
    reader.hint(bodyOf(event));
    const started = performance.now();
    content.apply(await reader.next());
    expect(performance.now() - started).toBeGreaterThan(900);
    await content.expectFresh();
  });

  test('of the first load names the address', async () => {
    const source = { ...(await begin(4)).served.source(), token: 'other' };
    const reader = new RestReader(source, () => {}, impatient);
    await expect(reader.load({})).rejects.toThrow('Strapi rejects the token (401');
  });
});

describe('pulls with a cache folder', () => {
  const openIn = (served: ServedStrapi, cacheDir: string) => {
    const reader = new RestReader({ ...served.source(), cacheDir }, () => {}, impatient);
    closing.push(reader);
    return reader;
  };
  const pullsIn = (cacheDir: string) => readdirSync(join(cacheDir, 'pulls'));

  test('of the same source at once do not share what they write', async () => {
    const { served, content } = await begin(9);
    const cacheDir = temporaryFolder();
    const readers = [1, 2, 3].map(() => openIn(served, cacheDir));
    for (const { store } of await Promise.all(readers.map((reader) => reader.load({})))) {
      expect(store.contentDigest).toBe(content.store.contentDigest);
    }
    expect(pullsIn(cacheDir)).toEqual([]);
  });

  test('go on with what a failed one has read', async () => {
    const { served, content } = await begin(10);
    const cacheDir = temporaryFolder();
    const pages = () => served.requests.splice(0).filter((url) => url.includes('populate')).length;
    pages();
    await openIn(served, cacheDir).load({});
    const all = pages();
    let read = 0;
    served.fault = (url) => (url.includes('populate') && ++read > all / 2 ? { status: 400 } : null);
    await expect(openIn(served, cacheDir).load({})).rejects.toThrow('answers with 400');
    expect(pullsIn(cacheDir)).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.pull$/)]);
    served.fault = () => null;
    pages();
    const { store } = await openIn(served, cacheDir).load({});
    expect(pages()).toBeLessThan(all);
    expect(store.contentDigest).toBe(content.store.contentDigest);
    expect(pullsIn(cacheDir)).toEqual([]);
  });

  test('leave no folder of their own when they are closed', async () => {
    const { served } = await begin(11);
    const cacheDir = temporaryFolder();
    const reader = openIn(served, cacheDir);
    let isHeld = false;
    served.before = () => {
      isHeld = true;
      return new Promise(() => {});
    };
    const loading = expect(reader.load({})).rejects.toThrow('the reader was closed');
    await until(() => isHeld);
    await reader.close();
    expect(pullsIn(cacheDir)).toEqual([]);
    await loading;
  });
});

describe('a comparison', () => {
  test('reports content that has not changed', async () => {
    const { reader, unchanged } = await begin(5, 0.05);
    const next = reader.next();
    const closed = expect(next).rejects.toThrow('the reader was closed');
    await until(() => unchanged.length > 1);
    await reader.close();
    await closed;
  });

  test('takes three requests for each status of a type without changes', async () => {
    const { served, reader, unchanged } = await begin(6, 0.05);
    served.requests.length = 0;
    const closed = expect(reader.next()).rejects.toThrow('the reader was closed');
    await until(() => unchanged.length > 0);
    await reader.close();
    await closed;
    const articles = served.requests.filter((url) => url.startsWith('/api/articles?'));
    // one more looks whether the token can still read the type
    expect(articles.length % 7, articles.join('\n')).toBe(0);
  });

  test('finds nothing after a restart of Strapi that lists everything in another order', async () => {
    let isRestarted = false;
    const listed = <T>(list: T[]): T[] => (isRestarted ? list.toReversed() : list);
    const replies: Record<string, (body: unknown) => unknown> = {
      'content-type-builder/content-types': (body) => ({ data: listed((body as { data: unknown[] }).data) }),
      'content-type-builder/components': (body) => ({ data: listed((body as { data: unknown[] }).data) }),
      'i18n/locales': () => listed(['en', 'de'].map((code, i) => ({ id: i + 1, code, isDefault: i === 0 }))),
      'users-permissions/roles': () => ({ roles: listed([{ id: 1 }, { id: 2 }]) }),
      'users-permissions/roles/1': () => ({ role: { id: 1, type: 'public', permissions: permissions() } }),
      'users-permissions/roles/2': () => ({ role: { id: 2, type: 'authenticated', permissions: permissions() } }),
    };
    const permissions = () => {
      const actions = { find: { enabled: true }, findOne: { enabled: true } };
      const [one, other] = [uids.article, uids.author].map((uid) => [
        uid.split('.')[0],
        { controllers: { [uid]: actions } },
      ]);
      return Object.fromEntries(listed([one, other]));
    };
    const instead = (url: string, body: unknown) => replies[url.split('?')[0].replace('/api/', '')]?.(body) ?? null;
    const { reader, unchanged } = await begin(12, 0.05, instead);
    const found: unknown[] = [];
    const next = reader.next().then(
      (change) => found.push(change),
      () => {},
    );
    await until(() => unchanged.length > 0);
    isRestarted = true;
    const restarted = Date.now();
    await until(() => found.length > 0 || unchanged.some((readAt) => readAt > restarted));
    expect(found).toEqual([]);
    await reader.close();
    await next;
  });

  test('finds that a draft which was never published is discarded', async () => {
    const { served, reader, content } = await begin(13, 0.05);
    const [event] = await served.change((strapi) => strapi.create('article'));
    content.apply(await reader.next());
    await served.change((strapi) => strapi.discardNew('article', event.documentId));
    const { entities } = content.apply(await reader.next());
    expect(entities).toEqual([{ type: uids.article, id: expect.any(Number), data: null }]);
    await content.expectFresh();
  });

  test('asks for a reload if more changed than a batch may hold', async () => {
    const { served, reader } = await begin(14);
    const [documentId] = served.strapi.documents('tag');
    const [event] = await served.change((strapi) => strapi.update('tag', documentId));
    // deeper than any value of a batch
    const title = JSON.parse('['.repeat(1000) + ']'.repeat(1000));
    served.instead = (url, body) => {
      if (!url.startsWith('/api/tags?')) return null;
      const { data, ...more } = body as { data: object[] };
      return { data: data.map((row) => ({ ...row, title })), ...more };
    };
    reader.hint(bodyOf(event));
    expect(await reader.next()).toMatchObject({ kind: 'reload' });
  });

  test('asks for a reload if the token can read other types', async () => {
    const { served, reader } = await begin(7, 0.05);
    served.fault = (url) => (url.startsWith('/api/tags') ? { status: 403 } : null);
    expect(await reader.next()).toMatchObject({ kind: 'reload' });
  });
});

test('a webhook for a type that the token cannot read requests nothing', async () => {
  const { served, reader } = await begin(8);
  served.requests.length = 0;
  const closed = expect(reader.next()).rejects.toThrow('the reader was closed');
  reader.hint({ event: 'entry.update', uid: 'api::secret.secret', entry: { documentId: 'one' } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await reader.close();
  await closed;
  expect(served.requests).toEqual([]);
});

test('rewrites addresses of files in texts that it pulls', async () => {
  const origin = 'http://localhost:1337';
  const attributes = { text: { type: 'richtext' }, data: { type: 'json' } };
  const entryWith = (prefix: string) => ({
    documentId: 'one',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    text: `![a](${prefix}/uploads/a.png)`,
    data: [`${prefix}/uploads/a.png`],
  });
  const digestOf = async (prefix: string, uploadsOrigins: string[]) => {
    const tokens = [{ name: 'reader', type: 'full-access' as const, sha256: sha256('reader') }];
    const content = await open(thingSnapshot(attributes, [entryWith(prefix)]), { dialect: 'strapi', tokens });
    const { port } = await startServer({}, content);
    const url = `http://127.0.0.1:${port}`;
    const source = {
      kind: 'rest',
      url,
      token: 'reader',
      secret: null,
      types: null,
      cacheDir: undefined,
      compareSeconds: 3600,
    } as const;
    const reader = new RestReader(source, () => {}, impatient);
    closing.push(reader);
    const loaded = await reader.load({ uploadsOrigins });
    expect(loaded.replacesFiles).toBe(true);
    return loaded.store.contentDigest;
  };
  expect(await digestOf(origin, [origin])).toBe(await digestOf('', []));
});
