/**
 * Compares Lectern with a real Strapi: installs one in a scratch folder, fills it, exports it, serves the export, and
 * asks both the same questions: those written down in queries/written.txt, and random ones. It takes minutes the first
 * time, and some 2 GB of disk. `--strapi` is a folder in which another Strapi is installed. It fails if
 * more than `--may-differ` percent of the answers differ.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { authorizations } from './access.ts';
import { type Answer, compareAnswers } from './compare-answers.ts';
import { deviationOf } from './deviations.ts';
import { readOptions } from './options.ts';
import { Content } from './queries/content.ts';
import type { Request } from './queries/query-context.ts';
import { randomRequest } from './queries/requests.ts';
import { writtenRequests } from './queries/written.ts';
import { Random } from './random.ts';
import { printSummary, type Tally } from './report.ts';
import { startServers } from './servers.ts';

/** How many questions are under way at once. */
const workers = 4;

const options = readOptions();
const servers = await startServers(options.folder, options.refill, options.strapi);
const content = await Content.read(servers.archive);
const authorization = await authorizations();

const tally: Tally = { compared: 0, failed: 0, statuses: new Map(), deviations: new Map(), differences: [] };
const agreed: (Request & { n: number } & Answer)[] = [];
const written = writtenRequests();
/** Questions are numbered; those below 0 are the written ones, counted from their end. */
let next = -written.length;
const end = options.first + options.cases;
await Promise.all(Array.from({ length: workers }, compareSome));

const file = join(options.folder, 'differences.jsonl');
tally.differences.sort((a, b) => a.case - b.case);
writeFileSync(file, tally.differences.map((difference) => `${JSON.stringify(difference)}\n`).join(''));
if (options.record) {
  agreed.sort((a, b) => a.n - b.n);
  writeFileSync(options.record, agreed.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
}
printSummary(tally, options.show);
console.log(`All differences: ${file}`);
if (options.stay) {
  console.log(`Strapi stays up at ${servers.strapi}, Lectern at ${servers.lectern}`);
  await new Promise(() => {});
}
await servers.stop();
process.exit(tally.differences.length <= (tally.compared * options.mayDiffer) / 100 ? 0 : 1);

async function compareSome(): Promise<void> {
  while (next < end) {
    if (next === 0) next = options.first;
    const number = next++;
    const request = requestOf(number);
    const [strapi, lectern] = await Promise.all([ask(servers.strapi, request), ask(servers.lectern, request)]);
    tally.compared++;
    if (strapi.status >= 500) tally.failed++;
    countOne(tally.statuses, strapi.status);
    const difference = compareAnswers(request, strapi, lectern);
    if (!difference) {
      if (strapi.status < 500 && isDeepStrictEqual(strapi, lectern)) agreed.push({ n: number, ...request, ...strapi });
      continue;
    }
    const deviation = deviationOf(request, strapi, lectern, difference);
    if (deviation) countOne(tally.deviations, deviation);
    else tally.differences.push({ case: number, ...request, ...difference });
  }
}

function requestOf(number: number): Request {
  if (number < 0) return written[written.length + number];
  // each question has a seed of its own, so that any of them can be asked alone
  return randomRequest(new Random(options.seed * 1_000_003 + number), content);
}

function countOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function ask(server: string, { path, caller, headers }: Request): Promise<Answer> {
  const own = authorization[caller];
  // a connection that is kept may be closed just as the next question is sent
  const reply = await fetch(server + path, {
    headers: { ...headers, connection: 'close', ...(own && { authorization: own }) },
  });
  const text = await reply.text();
  try {
    return { status: reply.status, body: JSON.parse(text) };
  } catch {
    return { status: reply.status, body: text };
  }
}
