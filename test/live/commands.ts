import fc from 'fast-check';
import type { Random } from '../property/random.ts';
import type { Change } from './changes.ts';
import { brokenBatch, kinds } from './kinds.ts';
import type { Batch, Model } from './model.ts';
import { randomFrom } from './random-from.ts';
import type { Session } from './session.ts';

type Command = fc.AsyncCommand<Model, Session>;

/**
 * A change that is drawn from the model when it is made, so that sequences can be shortened. The session notes what was
 * drawn.
 */
function command(name: string, run: (random: Random, model: Model, session: Session) => Promise<Batch | null>) {
  return (seed: number): Command => ({
    check: () => true,
    toString: () => name,
    async run(model, session) {
      if (session.leavesOut.has(name)) return;
      const batch = await run(randomFrom(seed), model, session);
      if (batch) await session.compare(model, batch, seed);
    },
  });
}

/** Applies a batch to the model and to the content. */
function applying(name: string, draw: Change) {
  return command(name, async (random, model, session) => {
    const batch = draw(random, model);
    if (!batch) return null;
    model.apply(batch);
    session.apply(name, batch);
    return batch;
  });
}

/** Expects that a batch is rejected. */
const rejecting = command('reject', async (random, model, session) => {
  const batch = brokenBatch(random, model)!;
  session.reject(batch);
  return batch;
});

const nothing: Batch = { entities: [], links: [] };

const compacting = command('compact', async (_random, _model, session) => {
  await session.compact();
  return nothing;
});

const beginning = command('begin a compaction', async (_random, _model, session) => {
  session.beginCompaction();
  return null;
});

const reopening = command('reopen', async (_random, _model, session) => {
  await session.reopen();
  return nothing;
});

/** Sequences of changes of up to a length. */
export function sequences(length: number): fc.Arbitrary<Iterable<Command>> {
  const seeds = fc.noShrink(fc.integer({ min: 1, max: 2 ** 30 }));
  const applied = Object.entries(kinds).map(([name, draw]) => applying(name, draw));
  return fc.commands(
    [...applied, rejecting, compacting, compacting, beginning, reopening].map((kind) => seeds.map(kind)),
    { maxCommands: length, size: 'max' },
  );
}
