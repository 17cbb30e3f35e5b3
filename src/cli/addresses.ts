import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ReaderThreads } from '../follow/thread/reader-threads.ts';

/** Whether a text is the address of a publication. */
export function isPublication(text: string): boolean {
  return /^(rediss?|valkeys?|file):\/\//i.test(text);
}

/** Whether a text is the address of a Strapi. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * Returns the threads in which sources are read. The first one starts at once if what the command line names looks like a
 * source.
 */
export function readerThreads(snapshots: readonly string[], database = false): ReaderThreads {
  const threads = new ReaderThreads();
  if (database || snapshots.some(looksLikeSource)) threads.startAhead();
  return threads;
}

function looksLikeSource(argument: string): boolean {
  const text = argument.replace(/^[^=/:]*=/, '');
  return isPublication(text) || isAddress(text) || existsSync(join(text, 'package.json'));
}
