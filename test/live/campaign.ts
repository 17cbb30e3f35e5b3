import fc from 'fast-check';
import type { Dialect } from '../naive/snapshot.ts';
import { type Case, cases } from '../property/arbitraries.ts';
import { addressOf } from '../property/engine.ts';
import { type Address, addressesOf } from './addresses.ts';
import { sequences } from './commands.ts';
import { openFor } from './compare.ts';
import type { Model } from './model.ts';
import { completeSnapshot, modelOf } from './model-of-snapshot.ts';
import { randomFrom } from './random-from.ts';
import { ReplyDiffers, type Sample, Session } from './session.ts';
import { writeExport } from './write-export.ts';

export interface CampaignOptions {
  dialect: Dialect;
  /** Number of contents, and of changes to each. */
  contents: number;
  changes: number;
  sample: Sample;
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
  { dialect, contents, changes, sample }: CampaignOptions,
  seed: number,
): Promise<Outcome> {
  let compared = 0;
  let last: Failure | null = null;
  let deadline = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(
    sequences(changes),
    cases({ dialect, requests: 40, withRoles: true }),
    async (commands, value) => {
      if (Date.now() > deadline) fc.pre(false);
      let model: Model | null = null;
      let done: readonly string[] = [];
      try {
        const only = last?.error instanceof ReplyDiffers ? last.error.difference.address : null;
        const begun = await begin(value, sample, only);
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

async function begin({ snapshot: given, dialect, requests, shrunk }: Case, sample: Sample, only: Address | null) {
  const snapshot = structuredClone(given);
  completeSnapshot(snapshot);
  const model = modelOf(snapshot);
  const opened = openFor(writeExport(model), dialect);
  const content = await (shrunk ? opened.catch(() => fc.pre(false) as never) : opened);
  if (only) return { model, session: new Session(content, dialect, [], sample, only) };
  const random: Address[] = requests.flatMap((request) => {
    const url = addressOf(request);
    return url === null ? [] : [{ url, caller: request.role === 'public' ? 'public' : 'everything' }];
  });
  const addresses = [...addressesOf(randomFrom(snapshot.contentTypes.length), model), ...random];
  return { model, session: new Session(content, dialect, addresses, sample, only) };
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
