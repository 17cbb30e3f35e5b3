/** How long after an answer of Strapi the replies of Lectern show the change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Difference } from '../compare-answers.ts';
import type { Request } from '../queries/query-context.ts';

/** Milliseconds between two questions. */
const pollInterval = 4;
export interface Shown {
  /** From Strapi's answer to the arrival of the first reply that shows the change; null: none did. */
  readonly milliseconds: number | null;
  /** What differs in the last reply. */
  readonly difference: Difference | null;
}

export interface Questions {
  strapi(request: Request): Promise<Answer>;
  lectern(request: Request): Promise<Answer>;
  /** Returns null if Lectern answers as it must. */
  compare(request: Request, strapi: Answer, lectern: Answer): Difference | null;
}

/**
 * Asks Lectern until it answers as Strapi does. `answered` is when Strapi answered the edit. A change that is not shown
 * `longest` milliseconds later is lost.
 */
export async function awaitShown(request: Request, answered: number, ask: Questions, longest: number): Promise<Shown> {
  const replies: { readonly at: number; readonly answer: Answer }[] = [];
  let expected: Answer | null = null;
  const asked = ask.strapi(request).then((answer) => (expected = answer));
  for (;;) {
    const answer = await ask.lectern(request);
    const at = performance.now();
    replies.push({ at, answer });
    if (at - answered > longest) await asked;
    if (expected) {
      let difference: Difference | null = null;
      for (const reply of replies.splice(0)) {
        difference = ask.compare(request, expected, reply.answer);
        if (!difference) return { milliseconds: reply.at - answered, difference: null };
      }
      if (at - answered > longest) return { milliseconds: null, difference };
    }
    await sleep(pollInterval);
  }
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
