import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLinks } from '../../data/generator/links.ts';
import { writePages } from '../../data/generator/pages.ts';
import { writeSnapshot } from '../../data/generator/snapshot.ts';
import { kept } from '../kept.ts';
import { inOwnProcess } from '../task.ts';

/** A shape of content that is generated for the benchmarks, by a module of `data/generator`. */
export interface Content {
  name: string;
  /** The content type that most queries ask for, by its singular name. */
  main: string;
  /** Default number of entries, all types together. */
  entries: number;
  /** The same entries and seed write the same bytes. */
  write(folder: string, entries: number, seed: number): unknown;
}

/** Articles with long texts, drafts and translations. */
export const magazine: Content = { name: 'magazine', main: 'article', entries: 100_000, write: writeSnapshot };

/** Small entries with many relations. */
const links: Content = { name: 'links', main: 'track', entries: 100_000, write: writeLinks };

/** Wide entries with components, dynamic zones and long JSON. */
const pages: Content = { name: 'pages', main: 'page', entries: 10_000, write: writePages };

/** In the order in which they are measured. */
export const contents: readonly Content[] = [magazine, links, pages];

const generator = fileURLToPath(new URL('../../data/generator/', import.meta.url));

/** The folder of a generated snapshot, which is kept under a hash of the generator. */
export function snapshotOf({ name, write, entries: usual }: Content, entries = usual): Promise<string> {
  const seed = 1;
  return kept(`${name}-${entries}-${seed}-${generatorHash()}`, (folder) => write(folder, entries, seed));
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
