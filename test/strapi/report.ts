import type { Difference } from './compare-answers.ts';
import type { Request } from './queries/query-context.ts';

export type FoundDifference = Request & Difference & { case: number };

export interface Tally {
  compared: number;
  /** How many of those Strapi failed on, with a status of 500 or more. */
  failed: number;
  /** How often Strapi answered with each status. */
  statuses: Map<number, number>;
  /** How often Lectern answered otherwise on purpose, by reason. */
  deviations: Map<string, number>;
  differences: FoundDifference[];
}

/** Prints the figures, and the differences by kind, the most frequent first, `show` of each. */
export function printSummary(tally: Tally, show: number): void {
  const { compared, failed, statuses, deviations, differences } = tally;
  const kinds = new Map<string, FoundDifference[]>();
  for (const difference of differences) {
    kinds.set(difference.kind, [...(kinds.get(difference.kind) ?? []), difference]);
  }
  const often = [...kinds].sort(([, a], [, b]) => b.length - a.length);
  for (const [kind, found] of often) {
    console.log(`\n${found.length} x ${kind}`);
    for (const difference of found.slice(0, show)) printDifference(difference);
  }
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
  console.log(`\nStrapi answered ${answers.join(', ')}`);
  let meant = 0;
  for (const [reason, count] of deviations) {
    meant += count;
    console.log(`${count} x on purpose: ${reason}`);
  }
  const equal = compared - meant - differences.length;
  const parts = `${equal} equal, ${meant} otherwise on purpose, ${differences.length} differ`;
  console.log(`${compared} compared (${failed} of them a failure of Strapi): ${parts}`);
}

function printDifference({ case: number, caller, path, where, expected, found }: FoundDifference): void {
  console.log(`  #${number} ${caller} ${readable(path)}`);
  console.log(`    ${where}: Strapi ${shortened(expected)}`);
  console.log(`    ${' '.repeat(where.length)} Lectern ${shortened(found)}`);
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}
