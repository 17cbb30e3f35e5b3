import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Content } from './content.ts';
import { links } from './links.ts';
import { magazine } from './magazine.ts';
import { pages } from './pages.ts';

/** In the order in which they are measured. */
export const contents: readonly Content[] = [magazine, links, pages];

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The folder of a generated snapshot. It is kept in the system's temporary folder, under a hash of the sources that
 * wrote it, and may be deleted at any time.
 */
export function snapshotOf(content: Content, entries = content.entries, seed = 1): string {
  const parent = join(tmpdir(), 'lectern-bench');
  const folder = join(parent, `${content.name}-${entries}-${seed}-${hashOf(content.sources)}`);
  if (existsSync(folder)) return folder;
  // a run that is stopped leaves no half of a snapshot
  const unfinished = `${folder}.unfinished-${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(parent, { recursive: true });
  content.write(unfinished, entries, seed);
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  return folder;
}

/** Of files and of the TypeScript files in folders, all relative to the project. */
function hashOf(sources: string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(project, source);
    const files = statSync(path).isFile() ? [''] : readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    for (const file of files)
      if (/^$|\.ts$/.test(file)) hash.update(`${file}\0`).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex').slice(0, 12);
}
