/**
 * Measures the start from a prebuilt image beside reading the same file, in pairs of processes, and lists the size of
 * its sections beside the JSON:
 *
 *     npm run bench:image -- [--size 100000] [--pairs 11]
 *
 * The processor time is the one to compare on a machine with other load. On an idle one, it is the time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { magazine, prepareSnapshot } from '../content/index.ts';
import { buildProgram, builtCli } from '../program.ts';
import { machineLine, thisMachine } from '../report/machine.ts';
import { digits, megabytes, table } from '../report/markdown.ts';
import { median } from '../statistics.ts';
import { inOwnProcess } from '../task.ts';
import { bytesOf } from './files.ts';
import type { ImageStart, ImageTask } from './image-process.ts';
import { type SectionSizes, sectionSizes } from './image-sections.ts';

const { values } = parseArgs({
  options: { size: { type: 'string', default: '100000' }, pairs: { type: 'string', default: '11' } },
});
const size = positive('size', values.size);
const pairs = positive('pairs', values.pairs);

const say = (line: string) => console.error(`bench: ${line}`);
await buildProgram();
const snapshot = await prepareSnapshot(magazine, size, say);
const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-image-'));
try {
  const image = join(folder, 'content.lectern');
  const { status } = spawnSync(process.execPath, [builtCli, 'build', snapshot, '--out', image], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`"lectern build" ended with ${status}.`);
  const starts = await measurePairs(image);
  console.log(`${machineLine({ machine: thisMachine(), commit: null })}\n`);
  const bytes = statSync(image).size;
  printStarts(starts, bytes);
  printSections(await sectionSizes(image, bytes), bytesOf(snapshot));
} finally {
  rmSync(folder, { recursive: true });
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a positive integer, not "${text}".`);
}

interface Pair {
  read: ImageStart;
  open: ImageStart;
}

/** Every second pair opens the image first. The first pair only puts the file into the system's cache. */
async function measurePairs(image: string): Promise<Pair[]> {
  const work = (kind: ImageTask['kind']) => inOwnProcess<ImageStart>('./load/image-process.ts', { kind, image });
  const found: Pair[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    say(`pair ${pair} of ${pairs}`);
    const first = pair % 2 === 0 ? await work('read') : null;
    const open = await work('open');
    const read = first ?? (await work('read'));
    if (pair > 0) found.push({ read, open });
  }
  return found;
}

function printStarts(starts: readonly Pair[], bytes: number): void {
  const row = (name: string, of: (start: ImageStart) => number) => {
    const ratio = median(starts.map(({ read, open }) => of(open) / of(read)));
    const all = (kind: keyof Pair) => digits(median(starts.map((pair) => of(pair[kind]))));
    return [name, all('read'), all('open'), digits(ratio)];
  };
  const headers = [`${megabytes(bytes)}, medians of ${starts.length} pairs`, 'readFileSync', 'open', 'median ratio'];
  const time = row('ms', ({ milliseconds }) => milliseconds);
  const processor = row('ms of processor time', ({ processorMilliseconds }) => processorMilliseconds);
  const replies = digits(median(starts.map(({ open }) => open.firstReplyMilliseconds)));
  console.log(table(headers, [time, processor, ['ms of the first reply', '', replies, '']]));
}

function printSections(sizes: SectionSizes, jsonBytes: number): void {
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const row = (name: string, bytes: number) => [name, megabytes(bytes), digits(bytes / jsonBytes)];
  const rows = [...sizes].sort(([, a], [, b]) => b - a).map(([name, bytes]) => row(name, bytes));
  console.log(
    `\n${table(['sections', 'size', 'beside the JSON'], [...rows, row('all', total), row('JSON', jsonBytes)])}`,
  );
}
