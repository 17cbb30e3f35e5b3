import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isAddress, isPublication } from '../follow/addresses.ts';
import type { Source } from '../follow/source-reader.ts';
import { ReaderThreads } from '../follow/thread/reader-threads.ts';

/**
 * Returns the threads in which sources are read. The first one starts at once if what the command line names looks like a
 * source.
 */
export function readerThreads(snapshots: readonly string[], database = false): ReaderThreads {
  const threads = new ReaderThreads();
  const kinds = database ? (['database'] as const) : snapshots.flatMap((argument) => probableKind(argument) ?? []);
  if (kinds.length > 0) threads.startAhead(kinds[0]);
  return threads;
}

/** Returns what an argument looks like without a look into files. Null: a snapshot. */
function probableKind(argument: string): Source['kind'] | null {
  const text = argument.replace(/^[^=/:]*=/, '');
  if (isPublication(text)) return 'publication';
  if (isAddress(text)) return 'rest';
  return existsSync(join(text, 'package.json')) ? 'project' : null;
}
