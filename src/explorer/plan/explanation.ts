import type { ExploredSchema } from '../state/explored.ts';
/** How the server says that it answers a query, and the address to ask at. */

/** A part of a plan. */
export interface PlanPart {
  readonly kind: string;
  /** The uid of the type whose rows it selects. */
  readonly type: string;
  /** What it does, such as `stars $gte 4`. */
  readonly text: string;
  /** How many rows it was expected to select. */
  readonly estimate: number;
  /** How many it selects. Null where counting would have cost too much. */
  readonly actual: number | null;
  /** How many rows the type has. */
  readonly of: number;
  readonly parts: readonly PlanPart[];
}

export interface Stage {
  readonly stage: string;
  readonly microseconds: number;
}

/** The reply of `/_explain`. Callers without full access get the stages only. */
export interface Explanation {
  readonly stages: readonly Stage[];
  readonly tree?: PlanPart | null;
  readonly rewrites?: readonly string[];
  readonly page?: string;
  readonly cost?: { readonly total: number; readonly limit: number } | null;
}

/** Returns the address that explains a URL below the prefix. */
export function explainAddress({ base, prefix }: ExploredSchema, url: string): string {
  return `${base}/_explain?url=${encodeURIComponent(`${prefix}/${url}`)}`;
}

/** Reads a reply of `/_explain`. Null for errors. */
export function explanationOf(reply: unknown): Explanation | null {
  const stages = (reply as Partial<Explanation> | null | undefined)?.stages;
  return Array.isArray(stages) ? (reply as Explanation) : null;
}
