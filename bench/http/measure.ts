import { differenceOf } from '../compare/answers.ts';
import { readRows } from '../content/rows.ts';
import { type BuiltContent, openBuilt } from '../program.ts';
import type { Progress } from '../progress.ts';
import { queries } from '../queries/index.ts';
import { answerOf } from './answers.ts';
import { casesOf, type HttpCase } from './cases.ts';
import { type ClientName, load } from './loads.ts';
import type { HttpResult, Round, Wrong } from './result.ts';
import type { RunningServer } from './servers.ts';
import { isPlain, loaded } from './workloads.ts';

/** V8 takes about four seconds to compile what a server runs, on a slow machine. */
const warmingSeconds = 4;
/** Paths of each case whose replies are compared. */
const comparedPaths = 25;

export interface HttpTask {
  content: string;
  entries: number;
  snapshot: string;
  servers: string[];
  client: ClientName;
  seconds: number;
  rounds: number;
  /** Requests a second of the workload with a fixed rate. */
  rate: number;
}

/** Starts every server, compares the replies, then loads one server after the other, in rounds. */
export async function measureHttp(task: HttpTask, progress: Progress): Promise<HttpResult> {
  const { content, entries, snapshot, client, seconds, rounds } = task;
  const rows = readRows(snapshot);
  const lectern = await openBuilt(snapshot, { cacheBytes: 0 });
  const chosen = queries.filter((query) => query.content === content && query.http);
  progress.say('draws the URLs and looks at the replies to them');
  const all = chosen.map((query) => loaded(query, rows, lectern));
  progress.say('starts the servers and compares their replies');
  const running = new Map<string, RunningServer>();
  const wrong: Wrong[] = [];
  const found = new Map<HttpCase, Round[]>();
  try {
    for (const each of casesOf(task.servers, snapshot, all, task.rate)) {
      const { key, workload, server } = each;
      if (!running.has(key)) running.set(key, await each.start());
      const { origin, declined } = running.get(key)!;
      if (declined.includes(workload.query.name)) continue;
      const differs = server.isConstant ? null : await firstDifference(each, origin, lectern);
      if (differs) wrong.push({ server: server.title, load: workload.name, ...differs });
      else found.set(each, []);
    }
    const cases = [...found.keys()];
    const nameOf = ({ key, workload }: HttpCase) => `${key} ${workload.query.name}`;
    /** Each turn of a server goes on in the list of URLs where its last one ended, so that no reply is cached yet. */
    const requested = new Map<string, number>();
    const takeTurn = async (each: HttpCase, duration: number) => {
      const first = requested.get(nameOf(each)) ?? 0;
      const round = await turn(each, running.get(each.key)!, client, duration, first);
      if (each.paths.length > 1) requested.set(nameOf(each), first + round.requests);
      return round;
    };
    // once for each server and query, with different URLs, which are the last plain workload
    const plain = cases.filter(({ workload }) => isPlain(workload));
    const warming = new Map(plain.map((each) => [nameOf(each), each]));
    progress.begin('warming over HTTP', warming.size);
    for (const each of warming.values()) {
      progress.next(each.server.title);
      await takeTurn(each, warmingSeconds);
    }
    progress.begin('turn over HTTP', rounds * cases.length);
    for (let round = 0; round < rounds; round++) {
      // each round begins with another case
      const first = Math.floor((round * cases.length) / rounds);
      for (const each of [...cases.slice(first), ...cases.slice(0, first)]) {
        progress.next(`${each.server.title}, ${each.workload.name}`);
        found.get(each)!.push(await takeTurn(each, seconds));
      }
    }
    const results = cases.map((each) => {
      const { name: load, answers, bytes } = each.workload;
      const { title: server, name } = each.server;
      const urls = each.paths.length;
      return { server, load, urls, answers, bytes, rounds: found.get(each)!, isReference: name === 'bare' };
    });
    return { content, entries, client, seconds, rows: results, wrong };
  } finally {
    for (const server of running.values()) server.stop();
  }
}

/** Compares a server with Lectern in process. */
async function firstDifference({ paths, workload }: HttpCase, origin: string, lectern: BuiltContent) {
  const step = Math.ceil(paths.length / comparedPaths);
  for (let index = 0; index < paths.length; index += step) {
    const { status, body } = lectern.answer(workload.sets[index].url, {});
    const answer = await answerOf(origin, paths[index], workload.headers);
    const expected = workload.headers?.['Accept-Encoding'];
    // a server may send a small body as it is
    const isCoded = body.length < 1024 || answer.coding === expected;
    const differs = differenceOf({ status, text: body.toString() }, answer);
    if (differs || !isCoded) return { path: paths[index], difference: differs ?? `not in the coding ${expected}` };
  }
  return null;
}

async function turn(each: HttpCase, server: RunningServer, most: ClientName, seconds: number, first: number) {
  const { paths, workload } = each;
  const { headers, rate } = workload;
  const { origin } = server;
  // a server that is still busy with the last turn answers when it is done
  await answerOf(origin, paths[first % paths.length], headers);
  const before = await server.processorTime();
  const result = await load({ client: rate ? 'fixed rate' : most, origin, paths, first, seconds, headers, rate });
  const after = await server.processorTime();
  const requests = Math.max(1, result.requests);
  const userMilliseconds = (after.user - before.user) / requests;
  const processorMilliseconds = userMilliseconds + (after.system - before.system) / requests;
  return { ...result, userMilliseconds, processorMilliseconds };
}
