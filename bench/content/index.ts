import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keptFolder, unfinishedOf } from '../kept.ts';
import { inOwnProcess } from '../task.ts';
import type { Content } from './content.ts';
import { links } from './links.ts';
import { magazine } from './magazine.ts';
import { pages } from './pages.ts';

/** In the order in which they are measured. */
export const contents: readonly Content[] = [magazine, links, pages];

const generator = fileURLToPath(new URL('../../data/generator/', import.meta.url));

/**
 * The folder of a generated snapshot. It is kept in the system's temporary folder, under a hash of the generator, and
 * may be deleted at any time.
 */
export function snapshotOf({ name, write, entries: usual }: Content, entries = usual, seed = 1): string {
  const folder = join(keptFolder, `${name}-${entries}-${seed}-${generatorHash()}`);
  if (existsSync(folder)) return folder;
  const unfinished = unfinishedOf(folder);
  mkdirSync(keptFolder, { recursive: true });
  write(unfinished, entries, seed);
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  return folder;
}

/** The same in a process of its own, so that this one can be interrupted. Says how long it takes. */
export async function prepareSnapshot(
  { name, entries: usual }: Content,
  entries = usual,
  say: (line: string) => void,
): Promise<string> {
  const started = performance.now();
  const what = `prepares ${name}, ${entries.toLocaleString('en-US')} entries`;
  say(what);
  const timer = setInterval(() => say(`${what}: ${Math.round((performance.now() - started) / 1000)} s so far`), 10_000);
  try {
    return await inOwnProcess<string>('./content/main.ts', { name, entries });
  } finally {
    clearInterval(timer);
  }
}

function generatorHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(generator).sort())
    hash.update(`${file}\0`).update(readFileSync(join(generator, file)));
  return hash.digest('hex').slice(0, 12);
}
