import { differenceOf } from '../answers.ts';
import { type PeerProcess, peerModule } from '../inprocess/measure.ts';
import type { Loaded, Surveyed } from '../inprocess/peer-main.ts';
import { askedUrl, type UrlGroup } from '../own/urls.ts';
import type { Opening } from '../peers/peer.ts';
import type { Progress } from '../progress.ts';
import { OwnProcess } from '../task.ts';
import {
  addPair,
  type Figure,
  type Measured,
  measurePair,
  pairsForVerdict,
  pairTurns,
  type Sides,
  steadyFlags,
} from './pairs.ts';
import { distOf, type Version } from './version.ts';

/**
 * In milliseconds of processor time. A turn is short, so that both versions meet the same state of the machine; each
 * has two or four turns in a pair.
 */
const warmingLength = 300;
const turnLength = 40;
/** How many processes of each version answer queries, at most. Others only load. */
const mostAnswering = 5;

/** How the answers of two versions to the same URLs compare. */
export interface AnswerCheck {
  group: string;
  urls: number;
  /** Answers that are errors, and those without entries. */
  errors: number;
  empty: number;
  firstError?: string;
  /** URLs that the two answer differently, and what differs in the first of them. */
  differing: number;
  first?: string;
}

export interface LibraryTask {
  versions: Sides<Version>;
  snapshot: string;
  opening: Opening;
  groups: UrlGroup[];
  /** What all loading may take, in milliseconds. Fewer processes are started if it takes longer. */
  loadingTime: number;
  /** Is called with the comparison of the answers, before anything is timed. */
  compared(answers: AnswerCheck[]): void;
  progress: Progress;
}

/**
 * Loading, memory and queries of two versions. Each pair of loadings has two new processes, which live at the same
 * time; one at a time has work. Some of them answer the queries, for several pairs.
 */
export async function compareLibraries(task: LibraryTask, figures: Figure[]): Promise<AnswerCheck[]> {
  const { groups, progress } = task;
  const plans = new Map<string, CallPlan>();
  let answers: AnswerCheck[] = [];
  let loadings = 2;
  for (let number = 0; number < loadings; number++) {
    const started = performance.now();
    if (number > 0) progress.next('loading');
    const sides = await openBoth(task, number, figures);
    try {
      if (number === 0) {
        const most = Math.floor(task.loadingTime / (performance.now() - started));
        loadings = Math.max(2, Math.min(pairsForVerdict, most));
        task.compared((answers = await compareAnswers(groups, sides)));
        progress.begin('pair', loadings - 1 + pairsForVerdict * groups.length);
      }
      const answering = Math.min(mostAnswering, loadings);
      const firstPair = (process: number) => Math.round((process * pairsForVerdict) / answering);
      for (const group of number < answering ? groups : []) {
        const warm = await warmUp(sides, group, plans);
        for (let pair = firstPair(number); pair < firstPair(number + 1); pair++) {
          progress.next(group.name);
          const cost = await measurePair(warm, pairTurns(pair, plans.get(group.name)!.calls > 1));
          addPair(figures, { part: 'inprocess', name: group.name, unit: 'milliseconds' }, cost);
        }
      }
    } finally {
      sides.ours.stop();
      sides.theirs.stop();
    }
  }
  return answers;
}

async function openBoth({ versions, snapshot, opening }: LibraryTask, number: number, figures: Figure[]) {
  const start = (): PeerProcess => new OwnProcess(peerModule, { flags: steadyFlags(number) });
  const sides = { ours: start(), theirs: start() };
  try {
    const loaded = {} as Sides<Loaded>;
    for (const side of pairTurns(number, false).slice(0, 2)) {
      const task = { peer: 'lectern', snapshot, queries: [], opening: { ...opening, dist: distOf(versions[side]) } };
      loaded[side] = await sides[side].ask('load', task);
    }
    const add = (name: string, unit: Figure['unit'], cost: (one: Loaded) => number) =>
      addPair(figures, { part: 'load', name, unit }, { ours: cost(loaded.ours), theirs: cost(loaded.theirs) });
    add('loading', 'milliseconds', ({ userMilliseconds }) => userMilliseconds);
    add('memory in use once loaded', 'bytes', ({ liveBytes }) => liveBytes);
    add('peak of resident memory while loading', 'bytes', ({ peakBytes }) => peakBytes);
    return sides;
  } catch (error) {
    sides.ours.stop();
    sides.theirs.stop();
    throw error;
  }
}

async function compareAnswers(groups: UrlGroup[], sides: Sides<PeerProcess>): Promise<AnswerCheck[]> {
  const checks: AnswerCheck[] = [];
  for (const group of groups) {
    await begin(sides, group);
    const [own, other] = [await sides.ours.ask('survey'), await sides.theirs.ask('survey')];
    const { name, urls } = group;
    const count = (kind: Surveyed['kind']) => own.filter((each) => each.kind === kind).length;
    const check: AnswerCheck = {
      group: name,
      urls: urls.length,
      errors: count('error'),
      empty: count('no entries'),
      differing: 0,
    };
    const error = own.findIndex(({ kind }) => kind === 'error');
    if (error >= 0) check.firstError = `${urls[error]}: ${await sides.ours.ask('text', { set: error })}`;
    for (const [set, url] of urls.entries()) {
      if (own[set].digest === other[set].digest) continue;
      const [ours, theirs] = [await sides.ours.ask('text', { set }), await sides.theirs.ask('text', { set })];
      const difference = differenceOf(ours, theirs);
      if (difference === null) continue;
      check.differing++;
      check.first ??= `${url}: ${difference}`;
    }
    checks.push(check);
  }
  return checks;
}

async function begin(sides: Sides<PeerProcess>, { name, urls }: UrlGroup): Promise<void> {
  const task = { query: { name }, sets: urls.map(askedUrl), compared: 0 };
  await sides.theirs.ask('begin', task);
  await sides.ours.ask('begin', task);
}

/** What every process does with a group: warming up in turns of so many calls, then turns of `calls` calls. */
interface CallPlan {
  warming: number[];
  calls: number;
}

/**
 * Warms both up. The first process of theirs decides how many calls that takes. All others make the same calls, as
 * the code that V8 makes depends on what was called before.
 */
async function warmUp(sides: Sides<PeerProcess>, group: UrlGroup, plans: Map<string, CallPlan>) {
  await begin(sides, group);
  const callers = { theirs: new Caller(sides.theirs), ours: new Caller(sides.ours) };
  let plan = plans.get(group.name);
  if (plan) await callers.theirs.warmUp(plan);
  else plans.set(group.name, (plan = await callers.theirs.findPlan()));
  await callers.ours.warmUp(plan);
  return callers;
}

/** Goes on in the list of URLs where the last turn ended. */
class Caller implements Measured {
  readonly #process: PeerProcess;
  #asked = 0;
  #calls = 0;

  constructor(process: PeerProcess) {
    this.#process = process;
  }

  async findPlan(): Promise<CallPlan> {
    const warming: number[] = [];
    const started = await this.start();
    let before = started;
    for (let count = 1; ; count *= 2) {
      const after = await this.#call(count);
      warming.push(count);
      this.#calls = Math.ceil((turnLength * count) / Math.max(after - before, 1));
      if (after - started >= warmingLength) return { warming, calls: this.#calls };
      before = after;
    }
  }

  async warmUp({ warming, calls }: CallPlan): Promise<void> {
    this.#calls = calls;
    await this.start();
    for (const count of warming) await this.#call(count);
  }

  start(): Promise<number> {
    return this.#process.ask('collectYoung');
  }

  async turn() {
    return { calls: this.#calls, userMilliseconds: await this.#call(this.#calls) };
  }

  async #call(count: number): Promise<number> {
    const userMilliseconds = await this.#process.ask('calls', { from: this.#asked, count });
    this.#asked += count;
    return userMilliseconds;
  }
}
