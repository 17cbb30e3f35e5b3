/** Suggestions for misspelled names. */
import { distance } from 'fastest-levenshtein';

/** Longer names get no suggestion: callers choose the name, and comparing takes time in proportion to its length. */
const longestName = 64;

/** Returns ` (did you mean "…"?)` with the known name nearest to a misspelled one, or an empty text if none is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`;
}

/** Insertions, deletions and replacements; letters in another order count as one. */
function editsBetween(from: string, to: string): number {
  const edits = distance(from, to);
  return edits === 2 && sorted(from) === sorted(to) ? 1 : edits;
}

function sorted(text: string): string {
  return Array.from(text).sort().join('');
}

/** Returns the known name with the fewest edits, at most about one for each three characters, whatever the case. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > longestName) return null;
  const wanted = name.toLowerCase();
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor((name.length + 1) / 3)) + 1;
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= fewest) continue;
    const edits = editsBetween(wanted, candidate.toLowerCase());
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}
