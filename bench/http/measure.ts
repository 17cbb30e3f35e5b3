import { readRows } from '../data/rows.ts';
import { median } from '../statistics.ts';
import { inOwnProcess } from '../task.ts';
import { type HttpCase, httpCases } from './cases.ts';
import type { ClientName, LoadResult, LoadTask } from './client.ts';
import type { HttpResult, HttpRow } from './result.ts';
import type { RunningServer } from './servers.ts';

/** Seconds of load before the first that counts: on a slow machine V8 takes four to compile what a server runs. */
const warmingSeconds = 5;

type Round = LoadResult & { processor: number | null };

/** What loads, for how long each time, and how many times. */
export interface Loading {
  client: ClientName;
  seconds: number;
  repeat: number;
}

export interface HttpTask extends Loading {
  snapshot: string;
  entries: number;
}

/** Starts every server, then loads one after the other, round by round: at most one of them has work at a time. */
export async function measureHttp(task: HttpTask, say: (line: string) => void): Promise<HttpResult> {
  const { snapshot, entries, client, seconds } = task;
  const cases = await httpCases(snapshot, readRows(snapshot), `${snapshot}.json-server/db.json`);
  const running = new Map<string, RunningServer>();
  try {
    for (const { key, start } of cases) if (!running.has(key)) running.set(key, await start());
    const rounds = await loadInTurns(cases, running, task, say);
    return { entries, client, seconds, rows: cases.map((each) => rowOf(each, rounds)) };
  } finally {
    for (const server of running.values()) server.stop();
  }
}

export async function loadInTurns(
  cases: HttpCase[],
  running: Map<string, RunningServer>,
  { client, seconds, repeat }: Loading,
  say: (line: string) => void,
): Promise<Map<HttpCase, Round[]>> {
  /** How many requests there have been: the next load goes on in the list where the last one ended. */
  const asked = new Map<HttpCase, number>();
  const load = async (each: HttpCase, duration: number): Promise<Round> => {
    const server = running.get(each.key)!;
    const first = asked.get(each) ?? 0;
    const before = server.processorTime();
    const task: LoadTask = { client, origin: server.origin, paths: each.paths, first, seconds: duration };
    const result = await inOwnProcess<LoadResult>('./http/load.ts', task);
    const after = server.processorTime();
    asked.set(each, first + result.requests);
    return { ...result, processor: before === null || after === null ? null : (after - before) / result.requests };
  };
  const rounds = new Map<HttpCase, Round[]>(cases.map((each) => [each, []]));
  for (const each of cases) await load(each, warmingSeconds);
  for (let round = 0; round < repeat; round++) {
    say(`round ${round + 1} of ${repeat}`);
    for (const each of cases) rounds.get(each)!.push(await load(each, seconds));
  }
  return rounds;
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
