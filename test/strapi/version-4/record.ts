/**
 * Asks a Strapi 4 what requests.ts lists, and Lectern over Strapi's export the same. Prints where the two differ.
 *
 *     npx tsx test/strapi/version-4/record.ts [--folder F] [--refill] [--record]
 *
 * `--record` writes the export and Strapi's answers to test/conformance/almanac.
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
import { authorizations, lecternOptions } from './access.ts';
import { requests } from './requests.ts';
import { startStrapi4 } from './strapi.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-4') },
    refill: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const strapi = await startStrapi4(resolve(values.folder), values.refill);
const content = await open(strapi.archive, lecternOptions());
const authorization = await authorizations();

const recordings: Recording[] = [];
const differing: string[] = [];
let known = 0;
for (const { caller, path } of requests) {
  const headers = authorization[caller] ? { authorization: authorization[caller] } : undefined;
  const response = await fetch(strapi.address + path, { headers });
  const text = await response.text();
  const recording: Recording = { caller, path, status: response.status, body: text === '' ? '' : readJson(text) };
  recordings.push(recording);
  const reply = await content.answer(path, { authorization: authorization[caller] });
  const found = { status: reply.status, body: reply.body.length > 0 ? JSON.parse(reply.body.toString()) : '' };
  const different = difference(comparable(recording), comparable(found));
  if (!different) continue;
  const reason = knownDifference(path);
  if (reason) known++;
  else differing.push(`${caller} ${decodeURI(path)}\n  ${JSON.stringify(different).slice(0, 400)}`);
}
for (const text of differing) console.log(text);
console.log(`${requests.length} requests: ${differing.length} differ, ${known} differ on purpose`);

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
