import { replyDifference } from '../answers.ts';
import { readRows } from '../content/rows.ts';
import { type BuiltContent, openBuilt } from '../program.ts';
import type { Progress } from '../progress.ts';
import { queries } from '../queries/index.ts';
import { answerOf } from './answers.ts';
import { casesOf } from './cases.ts';
import type { ClientName } from './loads.ts';
import type { HttpResult } from './result.ts';
import type { RunningServer } from './servers.ts';
import { type LoadCase, loadInTurns } from './turns.ts';
import { isPlain, loaded, type Workload } from './workloads.ts';

/** Paths of each case whose replies are compared. */
const comparedPaths = 25;

interface HttpTask {
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

/** Starts every server, compares the replies, then loads one server after the other. */
export async function measureHttp(task: HttpTask, progress: Progress): Promise<HttpResult> {
  const { content, entries, snapshot, client, seconds } = task;
  const rows = readRows(snapshot);
  const lectern = await openBuilt(snapshot, { cacheBytes: 0 });
  const chosen = queries.filter((query) => query.content === content && query.http);
  progress.say('draws the URLs and looks at the replies to them');
  const all = chosen.map((query) => loaded(query, rows, lectern));
  progress.say('starts the servers and compares their replies');
  const running = new Map<string, RunningServer>();
  const wrong: HttpResult['wrong'] = [];
  const cases: (LoadCase & { workload: Workload })[] = [];
  try {
    for (const each of casesOf(task.servers, snapshot, all, task.rate)) {
      const { key, workload, server } = each;
      if (!running.has(key)) running.set(key, await each.start());
      const process = running.get(key)!;
      if (process.declined.includes(workload.query.name)) continue;
      const differs = server.isConstant ? null : await firstDifference(workload, process.origin, lectern);
      const named = { server: server.title, load: workload.name };
      if (differs) {
        wrong.push({ ...named, ...differs });
        continue;
      }
      const { headers, rate, query, paths } = workload;
      const list = `${key} ${query.name}`;
      cases.push({ ...named, process, paths, headers, rate, list, warmsUp: isPlain(workload), workload });
    }
    const rounds = await loadInTurns(cases, task, progress);
    const results = cases.map(({ server, load, paths, workload: { answers, bytes } }, index) => {
      const isReference = server === 'bare node:http';
      return { server, load, urls: paths.length, answers, bytes, rounds: rounds[index], isReference };
    });
    return { content, entries, client, seconds, rows: results, wrong };
  } finally {
    for (const server of running.values()) server.stop();
  }
}

/** Compares a server with Lectern in process. */
async function firstDifference({ paths, headers }: Workload, origin: string, lectern: BuiltContent) {
  const step = Math.ceil(paths.length / comparedPaths);
  for (let index = 0; index < paths.length; index += step) {
    const { status, body } = lectern.answer(paths[index], {});
    const answer = await answerOf(origin, paths[index], headers);
    const expected = headers?.['Accept-Encoding'];
    // a server may send a small body uncompressed
    const isCoded = body.length < 1024 || answer.coding === expected;
    const differs = replyDifference({ status, text: body.toString() }, answer);
    if (differs || !isCoded) return { path: paths[index], difference: differs ?? `not in the coding ${expected}` };
  }
  return null;
}
