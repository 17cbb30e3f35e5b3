/** Suggestions for misspelled names. */
import { distance } from 'fastest-levenshtein';

/** Longer names get no suggestion. Callers choose the name, and the cost of the edit distance grows with its length. */
const maxNameLength = 64;

/** Returns ` (did you mean "…"?)` with the nearest known name, or an empty string if no name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`;
}

/** Returns the Levenshtein distance. Two edits that only reorder letters count as one. */
function editDistance(from: string, to: string): number {
  const edits = distance(from, to);
  return edits === 2 && sorted(from) === sorted(to) ? 1 : edits;
}

function sorted(text: string): string {
  return Array.from(text).sort().join('');
}

/**
 * Returns the known name with the smallest edit distance, ignoring case, or null. Allows one edit per three characters.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > maxNameLength) return null;
  const lowerName = name.toLowerCase();
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor((name.length + 1) / 3)) + 1;
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= fewest) continue;
    const edits = editDistance(lowerName, candidate.toLowerCase());
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}
