/**
 * Asks a Strapi 4 what requests.ts lists, and Lectern over Strapi's export the same. Prints where the two differ.
 *
 *     npx tsx test/strapi/version-4/record.ts [--folder F] [--refill] [--record] [--random N] [--seed S]
 *
 * `--record` writes the export and Strapi's answers to test/conformance/almanac. `--random` asks so many requests more
 * that combine what is listed, always the same for a seed.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { open } from '../../../src/index.ts';
import {
  almanacExport,
  almanacRecordings,
  comparable,
  knownDifference,
  type Recording,
} from '../../conformance/almanac.ts';
import { difference } from '../../conformance/difference.ts';
import { Random } from '../random.ts';
import { authorizations, lecternOptions } from './access.ts';
import { type Request, randomRequest, requests } from './requests.ts';
import { startStrapi4 } from './strapi.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-4') },
    refill: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    random: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});
const strapi = await startStrapi4(resolve(values.folder), values.refill);
const content = await open(strapi.archive, lecternOptions());
const authorization = await authorizations();

const differing: string[] = [];
let known = 0;

/** Asks both, notes where they differ, and gives Strapi's answer. */
async function ask({ caller, path }: Request): Promise<Recording> {
  const headers = authorization[caller] ? { authorization: authorization[caller] } : undefined;
  const response = await fetch(strapi.address + path, { headers });
  const text = await response.text();
  const recording: Recording = { caller, path, status: response.status, body: text === '' ? '' : readJson(text) };
  const reply = await content.answer(path, { authorization: authorization[caller] });
  const found = { status: reply.status, body: reply.body.length > 0 ? JSON.parse(reply.body.toString()) : '' };
  const different = difference(comparable(recording), comparable(found));
  if (different && knownDifference(path)) known++;
  else if (different) differing.push(`${caller} ${decodeURI(path)}\n  ${JSON.stringify(different).slice(0, 400)}`);
  return recording;
}

const recordings: Recording[] = [];
for (const request of requests) recordings.push(await ask(request));
const random = new Random(Number(values.seed));
const more = Number(values.random);
for (let i = 0; i < more; i++) await ask(randomRequest(random));
for (const text of differing) console.log(text);
console.log(`${requests.length + more} requests: ${differing.length} differ, ${known} differ on purpose`);

if (values.record) {
  mkdirSync(dirname(almanacExport), { recursive: true });
  copyFileSync(strapi.archive, almanacExport);
  const lines = recordings.map((recording) => JSON.stringify(recording)).join('\n');
  writeFileSync(almanacRecordings, gzipSync(lines, { level: 9 }));
}
await strapi.stop();
process.exit(0);

/** Routes that do not exist are answered with plain text. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
