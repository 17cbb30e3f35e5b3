import type { Progress } from '../progress.ts';
import { startingElsewhere } from '../statistics.ts';
import { answerOf } from './answers.ts';
import { type ClientName, load } from './loads.ts';
import type { Round } from './result.ts';
import type { RunningServer } from './servers.ts';

/** On a slow machine V8 compiles for about four seconds after a server starts. */
const warmingSeconds = 4;

/** A server under one load. */
export interface LoadCase {
  server: string;
  load: string;
  process: RunningServer;
  paths: string[];
  headers?: Record<string, string>;
  /** Requests a second. Without it the client sends as many as it can. */
  rate?: number;
  /** Cases with the same list continue where the last turn ended, so that no reply is cached yet. */
  list: string;
  /** Of the cases of a list that have this mark, the last one warms up. */
  warmsUp: boolean;
}

interface Turns {
  client: ClientName;
  seconds: number;
  rounds: number;
}

/** Loads one server after the other, in rounds. Gives the rounds of each case. */
export async function loadInTurns(
  cases: LoadCase[],
  { client, seconds, rounds }: Turns,
  progress: Progress,
): Promise<Round[][]> {
  const requested = new Map<string, number>();
  const takeTurn = async (each: LoadCase, duration: number): Promise<Round> => {
    const first = requested.get(each.list) ?? 0;
    const round = await turn(each, client, duration, first);
    if (each.paths.length > 1) requested.set(each.list, first + round.requests);
    return round;
  };
  const warming = new Map(cases.filter(({ warmsUp }) => warmsUp).map((each) => [each.list, each]));
  progress.begin('warming over HTTP', warming.size);
  for (const each of warming.values()) {
    progress.next(each.server);
    await takeTurn(each, warmingSeconds);
  }
  const found = new Map(cases.map((each) => [each, [] as Round[]]));
  progress.begin('turn over HTTP', rounds * cases.length);
  for (let round = 0; round < rounds; round++) {
    for (const each of startingElsewhere(cases, round, rounds)) {
      progress.next(`${each.server}, ${each.load}`);
      found.get(each)!.push(await takeTurn(each, seconds));
    }
  }
  return [...found.values()];
}

async function turn(each: LoadCase, client: ClientName, seconds: number, first: number): Promise<Round> {
  const { paths, headers, rate, process } = each;
  const { origin } = process;
  // a server that is still busy with the last turn answers this when it is done
  await answerOf(origin, paths[first % paths.length], headers);
  const before = await process.processorTime?.();
  const result = await load({ client: rate ? 'fixed rate' : client, origin, paths, first, seconds, headers, rate });
  const after = await process.processorTime?.();
  if (!before || !after) return { ...result, userMilliseconds: null, processorMilliseconds: null };
  const requests = Math.max(1, result.requests);
  const userMilliseconds = (after.user - before.user) / requests;
  const processorMilliseconds = userMilliseconds + (after.system - before.system) / requests;
  return { ...result, userMilliseconds, processorMilliseconds };
}
