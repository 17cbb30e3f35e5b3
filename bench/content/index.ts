import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  const parent = join(tmpdir(), 'lectern-bench');
  const folder = join(parent, `${name}-${entries}-${seed}-${generatorHash()}`);
  if (existsSync(folder)) return folder;
  // a run that is stopped leaves no half of a snapshot
  const unfinished = `${folder}.unfinished-${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(parent, { recursive: true });
  write(unfinished, entries, seed);
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  return folder;
}

function generatorHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(generator).sort())
    hash.update(`${file}\0`).update(readFileSync(join(generator, file)));
  return hash.digest('hex').slice(0, 12);
}
