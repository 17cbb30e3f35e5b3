import { readRows } from '../data/rows.ts';
import { median } from '../inprocess/timing.ts';
import { inOwnProcess } from '../task.ts';
import { type HttpCase, httpCases } from './cases.ts';
import type { LoadResult, LoadTask } from './load.ts';
import type { HttpResult, HttpRow } from './result.ts';
import type { RunningServer } from './servers.ts';

/** Seconds of load before the first that counts. */
const warmingSeconds = 2;

type Round = LoadResult & { processor: number | null };

export interface HttpTask {
  snapshot: string;
  entries: number;
  seconds: number;
  repeat: number;
}

/** Starts every server, then loads one after the other, round by round: at most one of them has work at a time. */
export async function measureHttp(task: HttpTask, say: (line: string) => void): Promise<HttpResult> {
  const { snapshot, entries, seconds, repeat } = task;
  const cases = await httpCases(snapshot, readRows(snapshot), `${snapshot}.json-server/db.json`);
  const running = new Map<string, RunningServer>();
  try {
    for (const { key, start } of cases) if (!running.has(key)) running.set(key, await start());
    const rounds = await loadInTurns(cases, running, seconds, repeat, say);
    return { entries, seconds, rows: cases.map((each) => rowOf(each, rounds)) };
  } finally {
    for (const server of running.values()) server.stop();
  }
}

export async function loadInTurns(
  cases: HttpCase[],
  running: Map<string, RunningServer>,
  seconds: number,
  repeat: number,
  say: (line: string) => void,
): Promise<Map<HttpCase, Round[]>> {
  const rounds = new Map<HttpCase, Round[]>(cases.map((each) => [each, []]));
  for (const each of cases) await load(running.get(each.key)!, each.paths, warmingSeconds);
  for (let round = 0; round < repeat; round++) {
    say(`round ${round + 1} of ${repeat}`);
    for (const each of cases) rounds.get(each)!.push(await load(running.get(each.key)!, each.paths, seconds));
  }
  return rounds;
}

async function load(server: RunningServer, paths: string[], seconds: number): Promise<Round> {
  const before = server.processorTime();
  const task: LoadTask = { origin: server.origin, paths, seconds };
  const result = await inOwnProcess<LoadResult>('./http/load.ts', task);
  const after = server.processorTime();
  return { ...result, processor: before === null || after === null ? null : (after - before) / result.requests };
}

export function rowOf(each: HttpCase, all: Map<HttpCase, Round[]>): HttpRow {
  const { server, load: kind, bare } = each;
  const rounds = all.get(each)!;
  const over = (value: (round: Round) => number) => median(rounds.map(value));
  const rates = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
  const bareRounds = bare && all.get(bare)!;
  return {
    server,
    load: kind,
    requestsPerSecond: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: over(({ p50 }) => p50),
    p99: over(({ p99 }) => p99),
    bytesPerReply: over(({ bytesPerReply }) => bytesPerReply),
    requests: rounds.reduce((total, { requests }) => total + requests, 0),
    errors: rounds.reduce((total, { errors }) => total + errors, 0),
    processor: rounds.some(({ processor }) => processor === null) ? null : over(({ processor }) => processor!),
    ratio: bareRounds && median(rates.map((rate, round) => rate / bareRounds[round].requestsPerSecond)),
  };
}
