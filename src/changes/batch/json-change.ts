/** Changes as people and programs write them: entries as in a JSON snapshot, named by documentId, locale and status. */
import { z } from 'zod';
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { findViolationInSteps } from '../../load/limits.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { type NodePatch, nodePatch } from '../entries/node-patch.ts';
import { batchLimits } from './batch.ts';

/** What the stored entry has to be for a change to be made. It is compared with the content before the request. */
export interface Condition {
  /** Null for an entry without one. */
  readonly updatedAt: string | null;
}

/**
 * Adds an entry of a content type, or replaces the entry with the same documentId, locale and status. `entry` is an
 * entry of a JSON snapshot, or of a reply of the API. A missing attribute becomes null or empty.
 */
export interface Upsert {
  readonly upsert: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly if?: Condition;
  /** The entry must not exist yet. */
  readonly ifAbsent?: true;
  /** When the change was made, in ISO 8601. Default: the time of the request. */
  readonly at?: string;
}

/** Names the entries of a document. */
interface DocumentVersions {
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
}

/** Changes the attributes of one entry that it names. Without a locale, the default one; without a status, `published`. */
export interface Patch extends NodePatch, DocumentVersions {
  readonly patch: string;
  readonly if?: Condition;
  /** As of an upsert. */
  readonly at?: string;
}

/** Deletes the entries of a document, or only those of a locale and a status. */
export interface Deletion extends DocumentVersions {
  readonly delete: string;
  /** Does nothing if there is no such entry, which is a mistake otherwise. */
  readonly ifExists?: true;
}

export type Change = Upsert | Patch | Deletion;

const at = z.iso.datetime({ offset: true }).optional();
const condition = z.strictObject({ updatedAt: z.iso.datetime({ offset: true }).nullable() }).optional();
const versions = {
  documentId: z.string().min(1),
  locale: z.string().optional(),
  status: z.enum(['draft', 'published']).optional(),
};

const upsert = z.strictObject({
  upsert: z.string(),
  entry: z.unknown(),
  if: condition,
  ifAbsent: z.literal(true).optional(),
  at,
});
const patch = nodePatch.extend({ patch: z.string(), ...versions, if: condition, at });
const deletion = z.strictObject({
  delete: z.string(),
  ...versions,
  documentId: z.string(),
  ifExists: z.literal(true).optional(),
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
  if (!isPlainObject(value) || !('upsert' in value || 'patch' in value || 'delete' in value)) {
    problems.add(location, () => `expected an object with "upsert", "patch" or "delete", not ${preview(value)}`);
    return null;
  }
  if ('delete' in value) return validate(deletion, value, location, problems);
  const isUpsert = 'upsert' in value;
  const change = validate(isUpsert ? upsert : patch, value, location, problems);
  const violation = yield* findViolationInSteps(isUpsert ? value.entry : value, 1);
  if (violation) problems.add(isUpsert ? `${location}.entry` : location, violation);
  return problems.count > before ? null : (change as Upsert | Patch);
}

/** Returns what names the entry of a change, as an entry of a JSON snapshot does. */
export function entryNamedBy(type: EntryType, change: Upsert | Patch): unknown {
  if ('upsert' in change) return withStatus(type, change.entry);
  const { documentId, locale, status } = change;
  return { documentId, ...(locale !== undefined && { locale }), ...(status !== undefined && { status }) };
}

/**
 * Returns an entry of a change with its status. The API answers with drafts whose `publishedAt` is null and without a
 * status, and to send such an entry back must not publish it.
 */
function withStatus({ draftAndPublish, attributes }: EntryType, entry: unknown): unknown {
  if (!draftAndPublish || attributes.has('status') || !isPlainObject(entry)) return entry;
  return entry.status === undefined && entry.publishedAt === null ? { ...entry, status: 'draft' } : entry;
}

/** Returns the uid of the type that a change names. */
export function typeNameOf(change: Change): string {
  if ('upsert' in change) return change.upsert;
  return 'patch' in change ? change.patch : change.delete;
}
