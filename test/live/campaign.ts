import fc from 'fast-check';
import type { JsonSnapshot } from '../../src/index.ts';
import type { Database, Dialect, Feature } from '../naive/snapshot.ts';
import { type Case, cases } from '../property/arbitraries.ts';
import { addressOf } from '../property/engine.ts';
import { HeldCompaction } from '../support/compact-here.ts';
import { type Address, addressesOf } from './addresses.ts';
import { crowd } from './changes.ts';
import { sequences } from './commands.ts';
import { openFor, type Seen, withoutDigest } from './compare.ts';
import { featureAddresses } from './feature-addresses.ts';
import type { Model } from './model.ts';
import { completeSnapshot, modelOf, omitPolymorphicInverses } from './model-of-snapshot.ts';
import { randomFrom } from './random-from.ts';
import { ReplyDiffers, type Sample, Session } from './session.ts';
import { writeExport } from './write-export.ts';

export interface CampaignOptions {
  dialect: Dialect;
  database?: Database;
  /** Those that are switched on, and asked for. Default: none. */
  features?: readonly Feature[];
  /** Number of contents, and of changes to each. */
  contents: number;
  changes: number;
  sample: Sample;
  /** Compares with content in which every document is published in the state of its draft. */
  showsDrafts?: boolean;
}

export interface Outcome {
  /** Replies compared, those while shrinking left out. */
  compared: number;
  /** What is needed to understand and repeat the failure, or null. */
  failure: string | null;
}

interface Failure {
  error: Error;
  /** The content before the changes; null if it could not be opened. */
  model: Model | null;
  /** The changes. */
  done: readonly string[];
}

/** Maximum time for shrinking, in milliseconds. */
const shrinkingTime = 60_000;

/** Applies random changes to random contents, and compares replies after each change with those of fresh content. */
export async function runCampaign(
  { dialect, database, features, contents, changes, sample, showsDrafts = false }: CampaignOptions,
  seed: number,
): Promise<Outcome> {
  let compared = 0;
  let last: Failure | null = null;
  let deadline = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(
    sequences(changes),
    beginnings,
    cases({ dialect, database, features, requests: 40, withRoles: true }),
    async (commands, beginning, value) => {
      if (Date.now() > deadline) fc.pre(false);
      let model: Model | null = null;
      let done: readonly string[] = [];
      try {
        const only = last?.error instanceof ReplyDiffers ? last.error.difference.address : null;
        const begun = await begin(value, beginning, sample, only, showsDrafts);
        model = begun.model.clone();
        done = begun.session.done;
        await fc.asyncModelRun(() => ({ model: begun.model, real: begun.session }), commands);
        if (!last) compared += begun.session.compared;
      } catch (error) {
        if (fc.PreconditionFailure.isFailure(error)) throw error;
        // a failure shrinks only to one of the same kind
        if (last && (error as Error).message !== last.error.message) return;
        last = { error: error as Error, model, done };
        deadline = Math.min(deadline, Date.now() + shrinkingTime);
        throw error;
      }
    },
  );
  const details = await fc.check(property, { seed, numRuns: contents });
  if (!details.failed) return { compared, failure: null };
  return { compared, failure: describe(seed, last!) };
}

/** How a content begins. */
interface Beginning {
  /** Whether it is opened as a JSON snapshot instead of an export. */
  isJson: boolean;
  /** Documents that it has besides those of the snapshot. Those of a JSON snapshot are its first change. */
  crowd: number;
}

const beginnings: fc.Arbitrary<Beginning> = fc.record({
  isJson: fc.integer({ min: 0, max: 3 }).map((number) => number === 3),
  crowd: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }) }),
});

async function begin(
  { snapshot: given, dialect, database, features, requests, shrunk }: Case,
  { isJson, crowd: count }: Beginning,
  sample: Sample,
  only: Address | null,
  showsDrafts: boolean,
): Promise<{ model: Model; session: Session }> {
  const snapshot = structuredClone(given);
  completeSnapshot(snapshot);
  if (isJson) omitPolymorphicInverses(snapshot);
  const model = modelOf(snapshot);
  const more = crowd(randomFrom(count), model, count);
  if (!isJson) model.apply(more);
  const compaction = new HeldCompaction();
  const source = isJson ? (structuredClone(snapshot) as unknown as JsonSnapshot) : writeExport(model);
  const opened = openFor(
    source,
    dialect,
    { compact: compaction.compact, limits: null },
    showsDrafts,
    database,
    features,
  );
  const content = await (shrunk ? opened.catch(() => fc.pre(false) as never) : opened);
  const random: Address[] = requests.flatMap((request) => {
    const url = addressOf(request);
    return url === null ? [] : [{ url, caller: request.role === 'public' ? 'public' : 'everything' }];
  });
  const drawn = randomFrom(requests.length);
  const byFeature = featureAddresses(drawn, model.snapshot, features ?? []);
  const addresses = only ? [] : drawn.shuffled([...addressesOf(drawn, model), ...byFeature, ...random]);
  // the roles of a JSON snapshot are no entries, and its locales are settings
  const leavesOut = new Set(isJson ? ['changeAccess', 'changeLocales'] : []);
  const sees = isJson ? withoutDigest : (seen: Seen) => seen;
  const asked = { dialect, database, features, addresses, sample, only, leavesOut, sees, showsDrafts };
  const session = new Session({ content, compaction, ...asked });
  await session.warm();
  if (isJson && count > 0) {
    model.apply(more);
    session.apply('crowd', more);
  }
  return { model, session };
}

function describe(seed: number, { error, model, done }: Failure): string {
  const lines = [`seed ${seed}`];
  if (model)
    lines.push(`content: ${JSON.stringify({ ...model.snapshot, entries: undefined, entities: contentOf(model) })}`);
  lines.push(...done);
  if (error instanceof ReplyDiffers) {
    const { address, expected, found } = error.difference;
    lines.push(`address: ${address.url} as ${address.caller}`);
    lines.push(`expected: ${JSON.stringify(expected)}`, `found:    ${JSON.stringify(found)}`);
  } else lines.push(error.stack ?? error.message);
  return lines.join('\n');
}

function contentOf({ entities, links }: Model): object {
  const listOf = (rows: ReadonlyMap<number, object>) => Array.from(rows, ([id, data]) => ({ id, ...data }));
  const rows = Object.fromEntries(Array.from(entities, ([type, list]) => [type, listOf(list)]));
  return { rows, links: Object.fromEntries(Array.from(links, ([row, lists]) => [row, Object.fromEntries(lists)])) };
}
