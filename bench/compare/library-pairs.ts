import { type AnswerCheck, checkAnswers } from './answers.ts';
import { LibraryProcess, type Loaded, type Opening } from './library-process.ts';
import type { Figures } from './result.ts';
import { pairsForVerdict, pairTurns } from './statistics.ts';
import type { UrlGroup } from './urls.ts';
import type { Version } from './version.ts';

export interface Sides<Item> {
  ours: Item;
  theirs: Item;
}

/**
 * In milliseconds of processor time, so that a busy machine changes neither. Warming up is over when calls get no
 * faster. Each version has two turns in a pair.
 */
const warming = { least: 250, most: 1500 };
const turnLength = 75;

interface LibraryTask {
  versions: Sides<Version>;
  opening: Opening;
  groups: UrlGroup[];
  /** How long all of it may take. Few pairs of processes are started where loading takes long. */
  milliseconds: number;
  /** Is called after each pair of a group, with the share of the whole that is done. */
  progress(share: number): void;
}

/**
 * Loading, memory and queries of two versions. Where the time allows, each pair has two new processes: what V8 makes of
 * the same code differs from process to process. Both live at the same time, and one at a time has work.
 */
export async function compareLibraries(task: LibraryTask, figures: Figures): Promise<AnswerCheck[]> {
  const { groups } = task;
  const started = performance.now();
  const calls = new Map<string, number>();
  let answers: AnswerCheck[] = [];
  let processes = 1;
  let done = 0;
  for (let pair = 0, generation = 0; pair < pairsForVerdict; generation++) {
    const isFirst = generation === 0;
    const until = isFirst ? 1 : 1 + Math.ceil((generation * (pairsForVerdict - 1)) / processes);
    const sides = await openBoth(task, generation, figures);
    try {
      if (isFirst) answers = await checkAll(groups, sides);
      for (const [index, group] of groups.entries()) {
        await begin(sides, group, calls);
        for (let each = pair; each < until; each++) {
          await measurePair(sides, group.name, calls.get(group.name)!, each, pairTurns(each + index), figures);
          task.progress(++done / (pairsForVerdict * groups.length));
        }
      }
    } finally {
      sides.ours.stop();
      sides.theirs.stop();
    }
    if (isFirst) {
      const elapsed = performance.now() - started;
      const affordable = Math.floor((task.milliseconds - elapsed) / elapsed);
      processes = Math.max(1, Math.min(pairsForVerdict - 1, affordable));
    }
    pair = until;
  }
  return answers;
}

async function openBoth({ versions, opening }: LibraryTask, generation: number, figures: Figures) {
  const sides = { ours: new LibraryProcess(versions.ours), theirs: new LibraryProcess(versions.theirs) };
  try {
    const loaded = {} as Sides<Loaded>;
    for (const side of pairTurns(generation).slice(0, 2)) loaded[side] = await sides[side].load(opening);
    const pairOf = (cost: (one: Loaded) => number) => ({ ours: cost(loaded.ours), theirs: cost(loaded.theirs) });
    figures.add(
      'load',
      'loading',
      'milliseconds',
      pairOf(({ userMilliseconds }) => userMilliseconds),
    );
    figures.add(
      'load',
      'memory in use once loaded',
      'bytes',
      pairOf(({ liveBytes }) => liveBytes),
    );
    figures.add(
      'load',
      'peak of resident memory while loading',
      'bytes',
      pairOf(({ peakBytes }) => peakBytes),
    );
  } catch (error) {
    sides.ours.stop();
    sides.theirs.stop();
    throw error;
  }
  return sides;
}

async function checkAll(groups: UrlGroup[], sides: Sides<LibraryProcess>): Promise<AnswerCheck[]> {
  const checks: AnswerCheck[] = [];
  for (const { name, urls } of groups) {
    await sides.ours.begin(urls);
    await sides.theirs.begin(urls);
    checks.push(await checkAnswers(name, urls, sides.ours, sides.theirs));
  }
  return checks;
}

/** Warms both up and decides once how many calls a turn has: both versions do exactly the same work. */
async function begin(sides: Sides<LibraryProcess>, { name, urls }: UrlGroup, calls: Map<string, number>) {
  for (const side of [sides.theirs, sides.ours]) {
    await side.begin(urls);
    let perCall = 0;
    let count = 1;
    let previous = Number.POSITIVE_INFINITY;
    for (let spent = 0, isSteady = false; spent < warming.most && !(isSteady && spent >= warming.least); ) {
      const { userMilliseconds } = await side.turn(0, count);
      spent += userMilliseconds;
      perCall = userMilliseconds / count;
      isSteady = perCall > 0.95 * previous;
      previous = perCall;
      count = Math.min(count * 4, Math.ceil(turnLength / Math.max(perCall, 1e-4)));
    }
    if (!calls.has(name)) calls.set(name, Math.ceil(turnLength / Math.max(perCall, 1e-4)));
  }
}

async function measurePair(
  sides: Sides<LibraryProcess>,
  name: string,
  calls: number,
  pair: number,
  order: readonly (keyof Sides<unknown>)[],
  figures: Figures,
): Promise<void> {
  const cost = { ours: 0, theirs: 0 };
  for (const [index, side] of order.entries()) {
    const from = (2 * pair + (index >> 1)) * calls;
    cost[side] += (await sides[side].turn(from, calls)).userMilliseconds / (2 * calls);
  }
  figures.add('inprocess', name, 'milliseconds', cost);
}
