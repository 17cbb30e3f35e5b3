import { describe, expect, test } from 'vitest';
import { applyBatchInSteps } from '../../../src/changes/batch/apply-batch.ts';
import { checkBatchInSteps } from '../../../src/changes/batch/check-batch.ts';
import { Problems } from '../../../src/core/problems.ts';
import { runAtOnce } from '../../../src/core/steps.ts';
import { RestReader } from '../../../src/follow/rest/rest-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { permissionType, roleType } from '../../../src/model/schema/schema.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { optionsOf } from '../../changes/content.ts';
import { Random } from '../../strapi/random.ts';
import { closedAfterEach } from '../../support/closing.ts';
import { until } from '../../support/server.ts';
import { SimulatedStrapi, uids } from './refresh/simulated-strapi.ts';
import { ServedStrapi } from './served-strapi.ts';

/** A reader of a Strapi whose plugin posts what changes. */

await prepareDigests();

const closing = closedAfterEach();

/** A Strapi with roles, which Lectern's own answers leave out. */
class Roles {
  #actions: Record<number, string[]> = { 1: [`${uids.article}.find`], 2: [`${uids.author}.find`] };

  set(id: number, actions: string[] | null): void {
    if (actions) this.#actions[id] = actions;
    else delete this.#actions[id];
  }

  readonly instead = (url: string, body: unknown): unknown => {
    const path = url.split('?')[0].replace('/api/', '');
    if (path === 'content-type-builder/content-types') {
      return { data: [...(body as { data: unknown[] }).data, ...roleTypes] };
    }
    const ids = Object.keys(this.#actions).map(Number);
    if (path === 'users-permissions/roles') return { roles: ids.map((id) => ({ id })) };
    const id = Number(path.match(/^users-permissions\/roles\/(\d)$/)?.[1]);
    if (!Object.hasOwn(this.#actions, id)) return null;
    const permissions = Object.fromEntries(
      this.#actions[id].map((action) => {
        const [api, controller, name] = action.split('.');
        return [api, { controllers: { [controller]: { [name]: { enabled: true } } } }];
      }),
    );
    return { role: { id, documentId: `role-${id}`, name: `Role ${id}`, type: `role-${id}`, permissions } };
  };
}

const text = { type: 'string' };
const roleTypes = [
  {
    uid: roleType,
    schema: {
      kind: 'collectionType',
      singularName: 'role',
      pluralName: 'roles',
      draftAndPublish: false,
      attributes: {
        name: text,
        type: text,
        permissions: { type: 'relation', relation: 'oneToMany', target: permissionType, mappedBy: 'role' },
      },
    },
  },
  {
    uid: permissionType,
    schema: {
      kind: 'collectionType',
      singularName: 'permission',
      pluralName: 'permissions',
      draftAndPublish: false,
      attributes: {
        action: text,
        role: { type: 'relation', relation: 'manyToOne', target: roleType, inversedBy: 'permissions' },
      },
    },
  },
];

async function begin(compareSeconds = 3600) {
  const served = await ServedStrapi.start(new SimulatedStrapi(new Random(1), 4));
  const roles = new Roles();
  served.instead = roles.instead;
  closing.push(served);
  const unchanged: number[] = [];
  const read = () => {
    const reader = new RestReader(served.source(compareSeconds), (readAt) => unchanged.push(readAt), {
      firstPause: 1,
      attempts: 2,
    });
    closing.push(reader);
    return reader;
  };
  const reader = read();
  const loaded = await reader.load({});
  let { store } = loaded;
  return {
    served,
    roles,
    reader,
    unchanged,
    documents: served.strapi.documents('article'),
    change: (documentId: string) => served.change((strapi) => strapi.update('article', documentId)),
    apply(change: SourceChange) {
      store = applied(loaded, store, change);
    },
    expectFresh: async () => expect(store.contentDigest).toBe((await read().load({})).store.contentDigest),
  };
}

function applied(loaded: LoadedSnapshot, store: LoadedSnapshot['store'], change: SourceChange) {
  if (change.kind !== 'batch') throw new Error(`${change.kind}: ${change.reason}`);
  const { changes } = runAtOnce(checkBatchInSteps(store, change.batch, new Problems('strict'), optionsOf(loaded)));
  return runAtOnce(applyBatchInSteps(store, changes)).store;
}

const post = (sequence: number, changes: Record<string, string[] | null> = {}, epoch = 'one') => ({
  epoch,
  sequence,
  changes,
});

/** The requests that a comparison makes, and nothing else. */
const isOfComparison = (url: string) => url.startsWith('/api/content-type-builder/content-types');
const comparisons = ({ requests }: ServedStrapi) => requests.filter(isOfComparison).length;

/** Waits until a comparison has found nothing, in a call of `next` that goes on. */
async function compared({ reader, unchanged }: Awaited<ReturnType<typeof begin>>): Promise<void> {
  const count = unchanged.length;
  reader.next().catch(() => {});
  await until(() => unchanged.length > count);
}

describe('posts', () => {
  test('are read at once, and without a comparison if none is missing', async () => {
    const begun = await begin();
    const { served, reader, documents, change, apply, expectFresh, unchanged } = begun;
    reader.hint(post(0));
    const next = reader.next();
    await until(() => unchanged.length === 1);
    served.requests.length = 0;
    await change(documents[0]);
    reader.hint(post(1, { [uids.article]: [documents[0]] }));
    apply(await next);
    await change(documents[1]);
    reader.hint(post(2, { [uids.article]: [documents[1]] }));
    apply(await reader.next());
    expect(comparisons(served)).toBe(0);
    await expectFresh();
  });

  test.each([
    ['a missing post', post(2)],
    ['another process of the Strapi', post(0, {}, 'two')],
    ['a change of locales', post(1, { 'plugin::i18n.locale': null })],
  ])('after %s, one comparison finds what was missed', async (_, last) => {
    const begun = await begin();
    const { served, reader, documents, change, apply, expectFresh, unchanged } = begun;
    reader.hint(post(0));
    const next = reader.next();
    await until(() => unchanged.length === 1);
    await change(documents[0]);
    served.requests.length = 0;
    reader.hint(last);
    apply(await next);
    expect(comparisons(served)).toBe(1);
    await expectFresh();
    served.requests.length = 0;
    await change(documents[1]);
    reader.hint(post(last.sequence + 1, { [uids.article]: [documents[1]] }, last.epoch));
    apply(await reader.next());
    expect(comparisons(served)).toBe(0);
    await expectFresh();
  });

  test('that come twice are read once', async () => {
    const begun = await begin();
    const { served, reader, documents, unchanged } = begun;
    reader.hint(post(0));
    const next = reader.next();
    next.catch(() => {});
    await until(() => unchanged.length === 1);
    served.requests.length = 0;
    for (const sent of [post(0, { [uids.article]: [documents[0]] }), post(0)]) reader.hint(sent);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(served.requests).toEqual([]);
  });

  test('do not wait for a comparison', async () => {
    const begun = await begin();
    const { served, reader, documents, change, apply, expectFresh } = begun;
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    served.before = (url) => (isOfComparison(url) ? held : Promise.resolve());
    served.requests.length = 0;
    await change(documents[0]);
    reader.hint(post(5, { [uids.article]: [documents[0]] }));
    apply(await reader.next());
    // it has begun and is not done
    expect(comparisons(served)).toBe(1);
    await change(documents[1]);
    reader.hint(post(6, { [uids.article]: [documents[1]] }));
    apply(await reader.next());
    go();
    await compared(begun);
    expect(comparisons(served)).toBe(1);
    await expectFresh();
  });

  test('without changes say that the content equals the source, when everything before them is read', async () => {
    const begun = await begin();
    const { reader, documents, change, apply, unchanged } = begun;
    reader.hint(post(0));
    const next = reader.next();
    await until(() => unchanged.length === 1);
    await change(documents[0]);
    const told = Date.now();
    reader.hint(post(1, { [uids.article]: [documents[0]] }));
    reader.hint(post(2));
    apply(await next);
    expect(unchanged).toHaveLength(1);
    await compared(begun);
    expect(unchanged[1]).toBeGreaterThanOrEqual(told);
    reader.hint(post(3));
    await until(() => unchanged.length === 3);
  });

  test('that come in a row let a comparison take its turn', async () => {
    const begun = await begin();
    const { served, reader, documents, change, apply, unchanged } = begun;
    reader.hint(post(5));
    for (let sequence = 6; comparisons(served) === 0 && sequence < 20; sequence++) {
      await change(documents[0]);
      served.requests.length = 0;
      reader.hint(post(sequence, { [uids.article]: [documents[0]] }));
      apply(await reader.next());
    }
    expect(comparisons(served)).toBe(1);
    expect(unchanged).toEqual([]);
  });

  test('with a gap during a comparison cause another one', async () => {
    const begun = await begin();
    const { served, reader } = begun;
    let held = false;
    served.before = async () => {
      if (held) return;
      held = true;
      reader.hint(post(7));
    };
    served.requests.length = 0;
    reader.hint(post(0));
    await compared(begun);
    expect(comparisons(served)).toBe(2);
  });

  test('with a gap during a load cause a comparison after it', async () => {
    const begun = await begin();
    const { served, reader } = begun;
    let held = false;
    served.before = async () => {
      if (held) return;
      held = true;
      reader.hint(post(7));
    };
    await reader.load({});
    await compared(begun);
  });
});

describe('roles', () => {
  const changes = { [roleType]: ['role-1'], [permissionType]: null };

  test.each<[string, (roles: Roles) => void]>([
    ['with another permission', (roles) => roles.set(1, [`${uids.article}.find`, `${uids.tag}.find`])],
    ['with a permission less', (roles) => roles.set(1, [])],
    ['that are new', (roles) => roles.set(3, [`${uids.tag}.find`])],
    ['that are deleted', (roles) => roles.set(1, null)],
  ])('%s are a batch, by a post and by a comparison', async (_, make) => {
    const [byPost, byComparison] = await Promise.all([begin(), begin(0.05)]);
    for (const { roles, reader, apply, expectFresh } of [byPost, byComparison]) {
      make(roles);
      if (reader === byPost.reader) reader.hint(post(3, changes));
      apply(await reader.next());
      await expectFresh();
    }
  });

  test('that have not changed are no batch', async () => {
    const begun = await begin();
    begun.reader.hint(post(3, changes));
    await compared(begun);
  });
});
