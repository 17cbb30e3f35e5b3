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
 * In milliseconds of processor time, so that a busy machine changes neither. A query is warm when its calls have not
 * become faster for as long as `steady`. Each version has two turns in a pair.
 */
const warming = { least: 400, steady: 200, most: 2000, chunk: 50 };
const turnLength = 100;
/** How many processes of each version answer queries, at most. Others only load. */
const mostAnswering = 5;

interface LibraryTask {
  versions: Sides<Version>;
  opening: Opening;
  groups: UrlGroup[];
  /** How long all of it may take. Few pairs of processes are started where loading takes long. */
  milliseconds: number;
  /** Is called with the comparison of the answers, before anything is timed. */
  compared(answers: AnswerCheck[]): void;
  /** Is called after each pair of a group, with the share of the whole that is done. */
  progress(share: number): void;
}

/**
 * Loading, memory and queries of two versions. Each pair of loadings has two new processes. Some of them answer the
 * queries, for several pairs: what V8 makes of the same code differs from process to process. Both processes live at
 * the same time, and one at a time has work.
 */
export async function compareLibraries(task: LibraryTask, figures: Figures): Promise<AnswerCheck[]> {
  const { groups } = task;
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  const calls = new Map<string, number>();
  let answers: AnswerCheck[] = [];
  let plan: Plan = { loading: 2, answering: 1 };
  let pair = 0;
  let done = 0;
  const progress = () => task.progress(++done / (plan.loading + pairsForVerdict * groups.length));
  for (let number = 0; number < plan.loading; number++) {
    const sides = await openBoth(task, number, figures);
    const loadingTime = elapsed();
    try {
      if (number === 0) task.compared((answers = await checkAll(groups, sides)));
      const until = number === 0 ? 1 : 1 + Math.ceil((number * (pairsForVerdict - 1)) / (plan.answering - 1));
      for (const [index, group] of number < plan.answering ? groups.entries() : []) {
        await begin(sides, group, calls);
        for (let each = pair; each < until; each++) {
          await measurePair(sides, group.name, calls.get(group.name)!, each, pairTurns(each + index), figures);
          progress();
        }
      }
      pair = until;
    } finally {
      sides.ours.stop();
      sides.theirs.stop();
    }
    if (number === 0)
      plan = planFor(task.milliseconds - elapsed(), loadingTime, elapsed() - loadingTime, groups.length);
    progress();
  }
  return answers;
}

/** How many processes of each version are started, and how many of the first of these answer queries. */
interface Plan {
  loading: number;
  answering: number;
}

/** What fits into the time that is left, by how long the first processes took: to load, and to answer for one pair. */
function planFor(left: number, loadingTime: number, answeringTime: number, groups: number): Plan {
  const more = Math.max(1, Math.min(pairsForVerdict - 1, Math.floor((left * 0.7) / loadingTime)));
  const turns = (pairsForVerdict - 1) * groups * 4 * turnLength;
  const answering = Math.floor((left - more * loadingTime - turns) / answeringTime);
  return { loading: 1 + more, answering: 1 + Math.max(1, Math.min(mostAnswering - 1, more, answering)) };
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

/** Warms both up and decides once how many calls a turn has: both versions make the same calls. */
async function begin(sides: Sides<LibraryProcess>, { name, urls }: UrlGroup, calls: Map<string, number>) {
  for (const side of [sides.theirs, sides.ours]) {
    await side.begin(urls);
    const costs: number[] = [];
    const last = warming.steady / warming.chunk;
    let spent = 0;
    for (let count = 1, from = 0; spent < warming.most; from += count) {
      const { userMilliseconds } = await side.turn(from, count);
      spent += userMilliseconds;
      costs.push(userMilliseconds / count);
      const isSteady = Math.min(...costs.slice(-last)) > 0.95 * Math.min(...costs.slice(0, -last));
      if (spent > warming.least && costs.length > last && isSteady) break;
      count = Math.min(count * 4, Math.ceil((count * warming.chunk) / Math.max(userMilliseconds, 0.1)));
    }
    if (!calls.has(name)) calls.set(name, Math.ceil(turnLength / Math.max(Math.min(...costs.slice(-last)), 1e-4)));
  }
}

/** One pair: ours, theirs, theirs, ours, or the other way round. */
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
