/** A plan as rows of a picture: each part with its lines to the part that it belongs to, and its bars. */
import type { PlanPart } from './explanation.ts';

export interface PlanRow {
  readonly part: PlanPart;
  /** For each outer part, whether its line goes on below this row. The last one is that of the part itself. */
  readonly lines: readonly boolean[];
  /** The estimated and the actual rows as shares of the rows of the type, from 0 to 1. */
  readonly estimate: number;
  readonly actual: number | null;
  /** How many times the estimate is too high or too low. Null if that is less than twice. */
  readonly misses: number | null;
}

/** Returns the rows of a plan, outer parts first. */
export function planRows(part: PlanPart, lines: readonly boolean[] = []): PlanRow[] {
  const { estimate, actual, of, parts } = part;
  const row = { part, lines, estimate: share(estimate, of), actual: actual === null ? null : share(actual, of) };
  const inner = parts.flatMap((each, i) => planRows(each, [...lines, i < parts.length - 1]));
  return [{ ...row, misses: missesOf(part) }, ...inner];
}

function share(rows: number, of: number): number {
  return of === 0 ? 0 : Math.min(rows / of, 1);
}

/** One row more counts little where there are few. */
function missesOf({ estimate, actual }: PlanPart): number | null {
  if (actual === null) return null;
  const ratio = (Math.max(estimate, actual) + 1) / (Math.min(estimate, actual) + 1);
  return ratio < 2 ? null : Math.round(ratio * 10) / 10;
}

const kinds: Record<string, string> = {
  and: 'all of',
  or: 'any of',
  everything: 'every row',
  nothing: 'no row',
};

/** Returns what a part does, in words where its text is only a kind. */
export function planText({ kind, text }: PlanPart): string {
  return text === kind ? (kinds[kind] ?? text) : text;
}
