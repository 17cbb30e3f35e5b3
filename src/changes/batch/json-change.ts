/** Changes as people and programs write them: entries as in a JSON snapshot, named by documentId, locale and status. */
import { z } from 'zod';
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { findViolationInSteps } from '../../load/limits.ts';
import { batchLimits } from './batch.ts';

/**
 * Adds an entry of a content type, or replaces the entry with the same documentId, locale and status. `entry` is an
 * entry of a JSON snapshot, with the same defaults. A missing attribute becomes null or empty.
 */
export interface Upsert {
  readonly upsert: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Deletes the entries of a document, or only those of a locale and a status. */
export interface Deletion {
  readonly delete: string;
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
}

export type Change = Upsert | Deletion;

const upsert = z.strictObject({ upsert: z.string(), entry: z.unknown() });
const deletion = z.strictObject({
  delete: z.string(),
  documentId: z.string(),
  locale: z.string().optional(),
  status: z.enum(['draft', 'published']).optional(),
});

/** Returns a list of changes. Reports each invalid or too large item, and returns null in its place. */
export function* readChangesInSteps(value: unknown, problems: Problems): Steps<(Change | null)[]> {
  if (!Array.isArray(value)) {
    problems.add('changes', `expected a list, not ${preview(value)}`);
    return [];
  }
  if (value.length > batchLimits.entities) {
    problems.add('changes', `the list has ${value.length} changes; the limit is ${batchLimits.entities}`);
    return [];
  }
  const changes: (Change | null)[] = [];
  for (const [i, item] of value.entries()) {
    changes.push(yield* readChangeInSteps(item, `changes[${i}]`, problems));
    yield;
  }
  return changes;
}

function* readChangeInSteps(value: unknown, location: string, problems: Problems): Steps<Change | null> {
  const before = problems.count;
  if (!isPlainObject(value) || !('upsert' in value || 'delete' in value)) {
    problems.add(location, () => `expected an object with "upsert" or "delete", not ${preview(value)}`);
  } else if ('upsert' in value) {
    const change = validate(upsert, value, location, problems);
    const violation = yield* findViolationInSteps(value.entry, 1);
    if (violation) problems.add(`${location}.entry`, violation);
    if (change && problems.count === before) return change as Upsert;
  } else return validate(deletion, value, location, problems);
  return null;
}
