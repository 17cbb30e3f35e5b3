/** Translates changes in JSON into a batch, and checks it. */

import { validate } from '../../core/describe-problem.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { EntryWriter } from '../../load/entry-writer.ts';
import { roleEntry } from '../../load/json/json-snapshot.ts';
import { type RoleDefinition, roleDefinition } from '../../model/access/definitions.ts';
import { localeType, roleType } from '../../model/schema/schema.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { operations } from '../entries/node-patch.ts';
import { type BatchEntity, type BatchLinks, checkSizeInSteps } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { type BatchEntries, type CheckedBatch, checkEntriesInSteps } from './check-batch.ts';
import { dataOf, type EntryNode, RowNumbers, referringTreeSink } from './entry-tree.ts';
import { type Patch, readChangesInSteps, typeNameOf, type Upsert } from './json-change.ts';
import { ChangePlan, type PlannedEntry } from './plan-changes.ts';
import { LinkResolver } from './resolve-links.ts';
import { idOfRow } from './stored-links.ts';

/**
 * Returns the batch for a list of changes (`Change[]`), which it validates. Changes apply in order, but the id of an
 * entry that they delete is not free before the next batch, and references find the documents that exist after the last.
 * Problems are reported as for the entries of a JSON snapshot, at locations such as `changes[2].entry, attribute title`.
 * Throws a SnapshotError that lists all errors. If the batch is larger than `batchLimits` allow, it lists those up to
 * there.
 */
export function* checkChangesInSteps(
  store: Store,
  changes: unknown,
  problems: Problems,
  options: BatchOptions,
): Steps<CheckedBatch> {
  const plan = new ChangePlan(store, problems, options);
  const permissions = yield* planChangesInSteps(plan, changes, problems, options);
  const entryWriter = new EntryWriter(referringTreeSink(store.schema), problems);
  const nodes = yield* readNodesInSteps(store, plan, entryWriter, problems);
  const resolver = new LinkResolver(store, plan, nodes, problems, options);
  const written: BatchEntity[] = [];
  const links: BatchLinks[] = [];
  for (const [entry, node] of nodes) {
    written.push(entityOf(entry, node, permissions));
    links.push(...resolver.linksOf(entry));
    yield;
  }
  const deleted = deletedEntries(store, plan);
  const deletions = deleted.map(({ type: { uid }, id }) => ({ type: uid, id, data: null }));
  const batch = { entities: [...written, ...deletions], links };
  const locations = Array.from(nodes.keys(), ({ version }) => version.location);
  const locationOf = (i: number) => locations[i] ?? 'changes';
  const isWithinLimits = yield* checkSizeInSteps(batch, problems, {
    entities: 'changes',
    links: 'changes',
    dataOf: locationOf,
  });
  if (!isWithinLimits) problems.throwIfAny();
  const rows = Array.from(nodes, ([{ row }, node]) => [node, row] as const);
  const entries: BatchEntries = { written: rows, deleted, names: entryWriter, resolved: links };
  const checked = yield* checkEntriesInSteps(store, batch, entries, problems, options);
  const { count, references } = resolver.unlinked;
  return { ...checked, unlinked: { count, references } };
}

/** Plans a list of changes. Returns the permissions of the roles among them, by the type of the role. */
export function* planChangesInSteps(
  plan: ChangePlan,
  changes: unknown,
  problems: Problems,
  { kind, roles }: Pick<BatchOptions, 'kind' | 'roles'>,
): Steps<ReadonlyMap<string, readonly string[]>> {
  const permissions = new Map<string, readonly string[]>();
  /** The definitions of roles of a JSON snapshot that a later patch changes. */
  const known = new Map<string, RoleDefinition>(roles.map((role) => [role.type, role]));
  const read = yield* readChangesInSteps(changes, problems);
  for (const [i, change] of read.entries()) {
    yield;
    if (!change) continue;
    const location = `changes[${i}]`;
    const type = plan.typeOf(typeNameOf(change), location);
    if (!type) continue;
    if (kind === 'json' && type.uid === localeType) {
      problems.add(location, 'the locales of a JSON snapshot are settings: load a snapshot with others');
    } else if ('delete' in change) {
      plan.delete(type, change, location);
      if (type.uid === roleType) known.delete(change.documentId);
    } else if (kind === 'json' && type.uid === roleType) {
      const role = roleOf(change, known, location, problems);
      if (!role) continue;
      known.set(role.type, role);
      permissions.set(role.type, role.permissions);
      plan.upsert(type, { upsert: type.uid, ...change, entry: roleEntry(role) }, i);
    } else if ('upsert' in change) plan.upsert(type, change, i);
    else plan.patch(type, change, i);
  }
  return permissions;
}

/** Returns the role of a JSON snapshot that a change writes. Returns null and reports the problem if it is wrong. */
function roleOf(
  change: Upsert | Patch,
  known: ReadonlyMap<string, RoleDefinition>,
  location: string,
  problems: Problems,
): RoleDefinition | null {
  if ('upsert' in change) return validate(roleDefinition, change.entry, `${location}.entry`, problems);
  const { documentId, set = {} } = change;
  const before = known.get(documentId);
  const other = operations.find((operation) => operation !== 'set' && change[operation]);
  if (!before) problems.add(location, `no role with documentId ${preview(documentId)}`);
  else if (other) problems.add(location, `a role of a JSON snapshot takes "set" only, not "${other}"`);
  else if ((set.type ?? documentId) !== documentId) {
    problems.add(location, `"type" is ${preview(documentId)}, and a patch cannot change it to ${preview(set.type)}`);
  } else return validate(roleDefinition, { ...before, ...set }, `${location}.set`, problems);
  return null;
}

/** Reads the entries to write as trees, and numbers their rows. */
function* readNodesInSteps(
  store: Store,
  { entries, deleted }: ChangePlan,
  entryWriter: EntryWriter<EntryNode>,
  problems: Problems,
): Steps<Map<PlannedEntry, EntryNode>> {
  const nodes = new Map<PlannedEntry, EntryNode>();
  const numbers = new RowNumbers(store, deleted, problems);
  for (const entry of entries) {
    const { values, published, location } = entry.version;
    const node = entryWriter.add(entry.type, values, published, location);
    nodes.set(entry, node);
    numbers.noteGiven(node);
    yield;
  }
  for (const [{ row, version }, node] of nodes) {
    numbers.number(node, row, version.location);
    yield;
  }
  return nodes;
}

function entityOf(
  { type, version: { documentId, published } }: PlannedEntry,
  node: EntryNode,
  permissions: ReadonlyMap<string, readonly string[]>,
): BatchEntity {
  const data = dataOf(node);
  if (type.uid === roleType && permissions.has(documentId)) data.permissions = permissions.get(documentId);
  const isPublishedByDate = !type.draftAndPublish || (data.publishedAt ?? null) !== null;
  return { type: type.uid, id: node.id, data, ...(published === isPublishedByDate ? {} : { published }) };
}

function deletedEntries(store: Store, { deleted }: ChangePlan): BatchEntries['deleted'] {
  return Array.from(deleted).flatMap(([type, rows]) => {
    const segment = segmentOf(store, type.uid);
    return Array.from(rows, (row) => ({ type, id: idOfRow(segment, row), row }));
  });
}
