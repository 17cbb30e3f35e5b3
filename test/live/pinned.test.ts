// Whatever version is served, pinned or the latest, answers as the same content opened afresh.
import { expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { Dialect } from '../naive/snapshot.ts';
import { fillContent } from '../property/content.ts';
import { QueryContext } from '../property/query-context.ts';
import { randomSchema } from '../property/schema.ts';
import { caseCount } from '../support/cases.ts';
import { compactHere } from '../support/compact-here.ts';
import { type Address, addressesOf, randomAddresses } from './addresses.ts';
import { ask, openFor, type Seen } from './compare.ts';
import { kinds } from './kinds.ts';
import type { Model } from './model.ts';
import { completeSnapshot, modelOf } from './model-of-snapshot.ts';
import { randomFrom } from './random-from.ts';
import { writeExport } from './write-export.ts';

const stepsPerContent = 30;

function askAll(content: Content, addresses: readonly Address[]): Promise<Seen[]> {
  return Promise.all(addresses.map((address) => ask(content, address)));
}

test.each<Dialect>(['document', 'strapi'])(
  'pins and releases among changes, compactions and reloads, in %s',
  { timeout: 600_000 },
  async (dialect) => {
    let pins = 0;
    for (let seed = 1; seed <= caseCount(8, 1); seed++) {
      const random = randomFrom(seed);
      const snapshot = randomSchema(random);
      fillContent(random, snapshot);
      completeSnapshot(snapshot);
      const model = modelOf(snapshot);
      const open = (of: Model) => openFor(writeExport(of), dialect, { compact: compactHere, limits: null });
      const content = await open(model);
      const addresses = random.some(
        [...addressesOf(random, model), ...randomAddresses(new QueryContext(random, snapshot, dialect), 30)],
        40,
        40,
      );
      const models = new Map<string, Model>();
      const made = () => models.set(content.versions[0].version, model.clone());
      const seen = new Map<string, Seen[]>();
      /** Returns what the version that is served has to answer. */
      const expected = async ({ version }: Content) => {
        const known = seen.get(version) ?? (await askAll(await open(models.get(version)!), addresses));
        seen.set(version, known);
        return known;
      };
      made();
      for (let step = 0; step < stepsPerContent; step++) {
        const drawn = random.integer(0, 99);
        if (drawn < 25) {
          content.pin(random.pick(content.versions).version);
          pins++;
        } else if (drawn < 40) content.unpin();
        else if (drawn < 45) await content.compact();
        else {
          const [, draw] = random.pick(Object.entries(kinds));
          const batch = draw(random, model);
          if (!batch) continue;
          model.apply(batch);
          if (drawn < 95) content.apply(batch);
          else content.history.replace(await loadSnapshot(writeExport(model), { dialect, tolerance: 'tolerant' }));
          made();
        }
        // twice, so that replies come from the cache
        for (let time = 0; time < 2; time++) {
          const { version } = content;
          const replies = await askAll(content, addresses);
          expect({ seed, step, version, replies }).toEqual({ seed, step, version, replies: await expected(content) });
        }
      }
    }
    expect(pins).toBeGreaterThan(5);
  },
);
