/**
 * Appends to a journal without end, and prints the last transaction of each append when it is acknowledged. Rotates at
 * every hundredth. Its argument is the path of the journal. Tests kill it.
 */
import { writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { imageName } from '../../src/changes/journal/images.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { writeAtomically } from '../../src/core/write-file.ts';
import { changesOf } from './kills.ts';

const path = process.argv[2];
const { journal } = await Journal.open(path, { base: { epoch: 1, version: 'start' } });
let sequence = journal.sequence;

async function append(count: number): Promise<void> {
  const last = sequence + count;
  const transactions = Array.from({ length: count }, () => {
    sequence++;
    return { epoch: 1, sequence, previous: null, changes: changesOf(sequence), answer: last };
  });
  await journal.append(transactions);
  writeSync(1, `${last}\n`);
}

async function rotate(after: number): Promise<void> {
  const image = imageName(path, { epoch: 1, sequence: after });
  await writeAtomically(join(dirname(path), image), [Buffer.from(String(after))]);
  await journal.rotate({ epoch: 1, version: `after ${after}`, sequence: after, image }, after);
}

for (;;) {
  const rotated = journal.sequence - journal.base.sequence > 100 ? rotate(journal.sequence) : null;
  await Promise.all([append(1), append(3), append(2), rotated]);
}
