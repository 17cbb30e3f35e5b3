/**
 * Measures the magazine in several sizes: loading it from JSON and from an image, memory, queries without caches, and the
 * change of one entry. Each row has processes of its own:
 *
 *     npm run bench:sizes -- [--sizes 10000,100000,1000000]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { magazine, prepareSnapshot } from '../content/index.ts';
import { bytesOf } from '../load/files.ts';
import { buildProgram, builtCli } from '../program.ts';
import { machineLine, thisMachine } from '../report/machine.ts';
import { digits, megabytes, table } from '../report/markdown.ts';
import { inOwnProcess } from '../task.ts';
import type { SizeResult, SizeTask } from './size-process.ts';

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '10000,100000,1000000' } } });
const sizes = values.sizes.split(',').map(Number);
if (!sizes.every((size) => Number.isSafeInteger(size) && size >= 1000))
  throw new Error(`--sizes must be numbers of at least 1,000 entries, not "${values.sizes}".`);

/** Bytes that the heap of a load may take, as an operator sets for a large content. */
const heapBytes = 16 * 2 ** 30;

interface Measured {
  readonly size: number;
  readonly jsonBytes: number;
  readonly imageBytes: number;
  readonly fromJson: SizeResult;
  readonly fromImage: SizeResult;
}

const say = (line: string) => console.error(`bench: ${line}`);
await buildProgram();
const measured: Measured[] = [];
for (const size of sizes) measured.push(await measureSize(size));
console.log(`${machineLine({ machine: thisMachine(), commit: null })}\n`);
print(measured);

async function measureSize(size: number): Promise<Measured> {
  const snapshot = await prepareSnapshot(magazine, size, say);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-sizes-'));
  const measure = (content: string) => {
    say(`opens ${size.toLocaleString('en-US')} entries: ${content}`);
    return inOwnProcess<SizeResult>('./sizes/size-process.ts', { content } satisfies SizeTask, heapBytes);
  };
  try {
    const image = join(folder, 'content.lectern');
    const options = [`--max-old-space-size=${heapBytes / 2 ** 20}`, builtCli, 'build', snapshot, '--out', image];
    const { status } = spawnSync(process.execPath, options, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`"lectern build" ended with ${status}.`);
    const fromJson = await measure(snapshot);
    const fromImage = await measure(image);
    return { size, jsonBytes: bytesOf(snapshot), imageBytes: statSync(image).size, fromJson, fromImage };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print(all: readonly Measured[]): void {
  const row = (name: string, of: (one: Measured) => string) => [name, ...all.map(of)];
  const queryRows = all[0].fromJson.queries.map(({ name }, i) =>
    row(`${name}, p50 / p99 in ms`, ({ fromJson: { queries } }) => {
      const { median, p99 } = queries[i];
      return `${digits(median / 1000)} / ${digits(p99 / 1000)}`;
    }),
  );
  const rows = [
    row('JSON', ({ jsonBytes }) => megabytes(jsonBytes)),
    row('image', ({ imageBytes }) => megabytes(imageBytes)),
    row('load from JSON, s', ({ fromJson }) => digits(fromJson.openMilliseconds / 1000)),
    row('of processor time, s', ({ fromJson }) => digits(fromJson.openProcessorMilliseconds / 1000)),
    row('peak memory', ({ fromJson }) => megabytes(fromJson.peakBytes)),
    row('resident memory', ({ fromJson }) => megabytes(fromJson.residentBytes)),
    row('start from the image, s', ({ fromImage }) => digits(fromImage.openMilliseconds / 1000)),
    row('resident memory then', ({ fromImage }) => megabytes(fromImage.residentBytes)),
    ...queryRows,
    row('change of one entry, p50 / longest in ms', ({ fromJson: { changeMilliseconds } }) => {
      return `${digits(changeMilliseconds.median)} / ${digits(changeMilliseconds.longest)}`;
    }),
  ];
  console.log(table(['entries', ...all.map(({ size }) => size.toLocaleString('en-US'))], rows));
}
