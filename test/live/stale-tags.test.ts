// A reply that differs after a batch had a tag that the batch made stale: among the tags by which cached replies are
// judged, and among those that readers get.
import { expect, test } from 'vitest';
import { type Content, open, type StaleEvent } from '../../src/index.ts';
import type { Dialect, Feature } from '../naive/snapshot.ts';
import { fillContent } from '../property/content.ts';
import { QueryContext } from '../property/query-context.ts';
import type { Random } from '../property/random.ts';
import { randomSchema } from '../property/schema.ts';
import { caseCount } from '../support/cases.ts';
import { askedFeatures } from '../support/features.ts';
import { sha256 } from '../support/guide.ts';
import { type Address, addressesOf, randomAddresses } from './addresses.ts';
import { featureAddresses } from './feature-addresses.ts';
import { kinds } from './kinds.ts';
import type { Model } from './model.ts';
import { completeSnapshot, modelOf } from './model-of-snapshot.ts';
import { randomFrom } from './random-from.ts';
import { writeExport } from './write-export.ts';

const changesPerContent = 12;

/** What a reader knows of a URL. */
interface Watched {
  url: string;
  answer: string;
  /** Null for an error. */
  tags: readonly string[] | null;
  isCalled: boolean;
  end: () => void;
}

async function begin(
  random: Random,
  dialect: Dialect,
  drafts: boolean,
  features: readonly Feature[],
): Promise<{ model: Model; content: Content; urls: string[] }> {
  const snapshot = randomSchema(random);
  fillContent(random, snapshot);
  completeSnapshot(snapshot);
  const model = modelOf(snapshot);
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  const switched = features.length > 0 ? { features: [...features] } : {};
  const settings = { dialect, tokens, drafts, cacheTags: true, cacheBytes: 0, ...switched };
  const content = await open(writeExport(model), settings);
  const addresses: Address[] = [
    ...addressesOf(random, model),
    ...randomAddresses(new QueryContext(random, snapshot, dialect, features), 60),
    ...featureAddresses(random, snapshot, features),
  ];
  return { model, content, urls: addresses.map(({ url }) => url) };
}

async function watch(content: Content, url: string): Promise<Watched> {
  const { status, headers, body } = await content.answer(url, { authorization: 'Bearer all' });
  const watched: Watched = {
    url,
    answer: `${status} ${body}`,
    tags: headers['Cache-Tag']?.split(',') ?? null,
    isCalled: false,
    end: content.subscribe(url, () => {
      watched.isCalled = true;
    }),
  };
  return watched;
}

test.each<[Dialect, boolean, readonly Feature[]]>([
  ['document', false, []],
  ['strapi', false, []],
  ['document', true, []],
  ['strapi', true, []],
  ['document', false, askedFeatures],
  ['strapi', false, askedFeatures],
])(
  'no reply differs whose tags were not sent, in %s, showing drafts: %s, with features: %j',
  { timeout: 600_000 },
  async (dialect, drafts, features) => {
    const misses: object[] = [];
    let differing = 0;
    let called = 0;
    for (let seed = 1; seed <= caseCount(5, 2); seed++) {
      const random = randomFrom(seed);
      const { model, content, urls } = await begin(random, dialect, drafts, features);
      let event: StaleEvent | null = null;
      content.onStale((given) => {
        event = given;
      });
      for (let i = 0; i < changesPerContent; i++) {
        const [name, draw] = random.pick(Object.entries(kinds));
        const batch = draw(random, model);
        if (!batch) continue;
        const watched = await Promise.all(random.some(urls, 60, 60).map((url) => watch(content, url)));
        content.apply(batch);
        model.apply(batch);
        const stale = (event as StaleEvent | null)!.tags && new Set((event as StaleEvent | null)!.tags);
        for (const { url, answer, tags, isCalled, end } of watched) {
          end();
          const { status, body } = await content.answer(url, { authorization: 'Bearer all' });
          if (isCalled) called++;
          if (`${status} ${body}` === answer) continue;
          differing++;
          const isSent = tags === null || stale === null || tags.some((tag) => stale.has(tag));
          if (isCalled && isSent) continue;
          misses.push({ seed, i, name, url, isCalled, isSent, batch, answer, now: `${status} ${body}`, tags });
        }
      }
    }
    expect(misses.slice(0, 2)).toEqual([]);
    expect(differing).toBeGreaterThan(50);
    expect(called).toBeGreaterThan(differing);
  },
);
