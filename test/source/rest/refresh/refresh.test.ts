// Rows that are requested after changes of a Strapi lead to the content that a load of everything gives.
import { expect, test } from 'vitest';
import { applyBatchInSteps } from '../../../../src/changes/batch/apply-batch.ts';
import type { Batch } from '../../../../src/changes/batch/batch.ts';
import { checkBatchInSteps } from '../../../../src/changes/batch/check-batch.ts';
import { Problems } from '../../../../src/core/problems.ts';
import { runAtOnce } from '../../../../src/core/steps.ts';
import { batchOfRows } from '../../../../src/follow/rest/refresh/batch-of-rows.ts';
import { KnownRows } from '../../../../src/follow/rest/refresh/known-rows.ts';
import { LoadedRows } from '../../../../src/follow/rest/refresh/loaded-rows.ts';
import { Refresh } from '../../../../src/follow/rest/refresh/refresh.ts';
import type { LoadedSnapshot } from '../../../../src/load/loaded.ts';
import { loadStrapiContent } from '../../../../src/load/strapi/strapi-content.ts';
import type { Store } from '../../../../src/store/store.ts';
import { prepareDigests } from '../../../../src/store/writer/rows/row-digest.ts';
import { optionsOf } from '../../../changes/content.ts';
import { Random } from '../../../strapi/random.ts';
import { caseCount } from '../../../support/cases.ts';
import { SimulatedRequests } from './simulated-requests.ts';
import { type Event, SimulatedStrapi } from './simulated-strapi.ts';

function load({ content }: SimulatedStrapi): Promise<LoadedSnapshot> {
  return loadStrapiContent(content, 'strapi', new Problems('strict'), { dialect: 'strapi' });
}

/** Content that follows a simulated Strapi. */
class Follower {
  readonly #strapi: SimulatedStrapi;
  readonly #loaded: LoadedSnapshot;
  readonly #known: KnownRows;
  store: Store;

  private constructor(strapi: SimulatedStrapi, loaded: LoadedSnapshot, known: KnownRows) {
    this.#strapi = strapi;
    this.#loaded = loaded;
    this.#known = known;
    this.store = loaded.store;
  }

  static async begin(strapi: SimulatedStrapi): Promise<Follower> {
    const loaded = await load(strapi);
    return new Follower(strapi, loaded, new KnownRows(await LoadedRows.read(loaded.store, strapi.content)));
  }

  /** Requests documents again, and applies the batch. Returns the documents to request later. */
  async refresh(events: readonly Event[], meanwhile?: () => void): Promise<{ unsettled: Event[]; batch: Batch }> {
    const { schema } = this.store;
    const refresh = new Refresh(schema, this.#known, new SimulatedRequests(this.#strapi, schema, meanwhile));
    for (const { uid, documentId } of events) refresh.addDocument(uid, documentId);
    await refresh.run();
    const batch = batchOfRows(refresh.rows);
    const problems = new Problems('strict');
    const { changes } = runAtOnce(checkBatchInSteps(this.store, batch, problems, optionsOf(this.#loaded)));
    this.store = runAtOnce(applyBatchInSteps(this.store, changes)).store;
    const unsettled = refresh.unsettled.map(({ type, documentId }) => ({ event: '', uid: type, documentId }));
    return { unsettled, batch };
  }

  async expectEqual(message: string): Promise<void> {
    const { store } = await load(this.#strapi);
    expect(this.store.contentDigest, message).toEqual(store.contentDigest);
  }
}

await prepareDigests();

const seeds = Array.from({ length: caseCount(16, 8) }, (_, seed) => seed);

test('documents that webhooks name lead to the content of the source', async () => {
  for (const seed of seeds) {
    const random = new Random(seed);
    const strapi = new SimulatedStrapi(random, 5);
    const follower = await Follower.begin(strapi);
    for (let round = 0; round < 6; round++) {
      // a link that one edit makes and the next one removes may take another link with it, which nothing tells
      const written = new Set<string>();
      const events = random.many(1, 4, () => strapi.act(written)).flat();
      // webhooks overtake each other, and come twice
      await follower.refresh(random.shuffled([...events, ...events.slice(0, 1)]));
      await follower.expectEqual(`seed ${seed}, round ${round}`);
    }
  }
});

test('a link that was removed and made again is found in both lists', async () => {
  let found = 0;
  for (let seed = 0; seed < 30; seed++) {
    const strapi = new SimulatedStrapi(new Random(seed), 5);
    const follower = await Follower.begin(strapi);
    const events = strapi.moveLink();
    await follower.refresh(events);
    await follower.expectEqual(`seed ${seed}`);
    found += events.length;
  }
  expect(found).toBeGreaterThan(5);
});

test('changes while documents are requested are found with their own webhooks', async () => {
  for (const seed of seeds) {
    const random = new Random(seed);
    const strapi = new SimulatedStrapi(random, 5);
    const follower = await Follower.begin(strapi);
    const written = new Set<string>();
    let events = random.many(1, 4, () => strapi.act(written)).flat();
    for (let round = 0; round < 8; round++) {
      const later: Event[] = [];
      const { unsettled } = await follower.refresh(events, () => {
        if (round < 6 && random.chance(30)) later.push(...strapi.act(written));
      });
      events = [...later, ...unsettled];
    }
    await follower.refresh(events);
    await follower.expectEqual(`seed ${seed}`);
  }
});
