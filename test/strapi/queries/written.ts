import { readFileSync } from 'node:fs';
import type { Request } from './query-context.ts';

/** The requests of written.txt, one a line: a caller, and a path that is still to be encoded. */
export function writtenRequests(): Request[] {
  const text = readFileSync(new URL('written.txt', import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const blank = line.indexOf(' ');
      return { kind: 'written', caller: line.slice(0, blank), path: encodeURI(line.slice(blank + 1)) };
    });
}
