import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Random } from '../../bench/random.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { preview } from '../../src/core/problems.ts';

const appender = fileURLToPath(new URL('appender.ts', import.meta.url));

/** What the appender changes. Every fortieth transaction is so large that a kill may interrupt its write. */
export function changesOf(sequence: number): string {
  return `change ${sequence} `.repeat(sequence % 40 === 0 ? 300_000 : sequence % 50);
}

/**
 * Kills a process that appends to one journal, again and again, and looks at the journal after each. Returns a summary, or
 * null if an acknowledged transaction was lost or the journal did not open.
 */
export async function soakJournal(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-journal-'));
  const path = join(folder, 'changes');
  const random = new Random(firstSeed);
  let kills = 0;
  let sequence = 0;
  let cuts = 0;
  try {
    for (; goesOn(kills, firstSeed); kills++) {
      const acknowledged = await appendAndKill(path, random.integer(0, 150));
      const found = await lookAt(path);
      if (found.sequence < Math.max(acknowledged, sequence)) {
        console.error(`transaction ${acknowledged} was acknowledged, the journal ends with ${found.sequence}`);
        return null;
      }
      sequence = found.sequence;
      if (found.isCut) cuts++;
    }
    return `${kills} kills, ${sequence} transactions kept, ${cuts} incomplete records cut off`;
  } catch (error) {
    console.error(error);
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Kills the appender that many milliseconds after its first acknowledgement. Returns the last acknowledged transaction. */
async function appendAndKill(path: string, milliseconds: number): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', appender, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (text) => (printed += text));
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await setTimeout(milliseconds);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error('the appender ended by itself');
  return Math.max(...printed.split('\n').map(Number));
}

/** Opens the journal and checks its image and each transaction. */
async function lookAt(path: string): Promise<{ sequence: number; isCut: boolean }> {
  const { journal, transactions, cut } = await Journal.open(path, { base: { epoch: 1, version: 'start' } });
  const { image, sequence } = journal.base;
  const images = readdirSync(dirname(path)).filter((name) => name.endsWith('.image'));
  if (images.join() !== (image ?? '')) throw new Error(`the journal names the image ${image}, there are ${images}`);
  if (image !== null && readFileSync(join(dirname(path), image), 'utf8') !== String(sequence)) {
    throw new Error(`the image ${image} is not that of transaction ${sequence}`);
  }
  transactions.forEach((transaction, i) => {
    const isNext = transaction.sequence === sequence + 1 + i;
    if (isNext && transaction.changes === changesOf(transaction.sequence)) return;
    throw new Error(`transaction ${sequence + 1 + i} is ${preview(transaction)}`);
  });
  // an append says in each transaction which one is its last
  const last = transactions.at(-1);
  if (last && last.answer !== last.sequence) throw new Error(`half of an append: ${preview(last)}`);
  await journal.close();
  return { sequence: journal.sequence, isCut: cut !== null };
}
