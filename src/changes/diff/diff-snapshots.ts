import { runAtOnce, type Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import type { Attribute, EntryType } from '../../model/schema/schema.ts';
import { entryDifferencesInSteps } from './compare-entries.ts';
import type {
  AttributeChange,
  ListChange,
  RoleDifference,
  SnapshotDifferences,
  TypeDifference,
  ValueChange,
} from './differences.ts';

/** Returns the differences of two snapshots. Reads no entry if the versions are equal. */
export function diffSnapshots(before: LoadedSnapshot, after: LoadedSnapshot): SnapshotDifferences {
  return runAtOnce(diffSnapshotsInSteps(before, after));
}

/** As `diffSnapshots`. Names of uploaded files are compared in one step, unless they are the same set. */
export function* diffSnapshotsInSteps(before: LoadedSnapshot, after: LoadedSnapshot): Steps<SnapshotDifferences> {
  const [one, other] = [before.store, after.store];
  const isSameVersion = one.contentDigest === other.contentDigest;
  const differences = {
    settings: [
      ...compareSetting('defaultLocale', one.defaultLocale, other.defaultLocale),
      ...compareSetting('emailConfirmation', before.emailConfirmation, after.emailConfirmation),
    ],
    locales: compareLists(one.locales, other.locales),
    roles: compareRoles(before.roles, after.roles),
    blockedUsers: compareLists(before.blockedUsers, after.blockedUsers),
    uploads: compareUploads(before.uploadedFiles, after.uploadedFiles),
    types: isSameVersion || one.schema === other.schema ? [] : compareTypes(one.schema.types, other.schema.types),
    entries: yield* entryDifferencesInSteps(one, other),
  };
  const { settings, locales, roles, blockedUsers, uploads, types, entries } = differences;
  return {
    isEqual:
      [settings, roles, types, entries].every(({ length }) => length === 0) &&
      [locales, blockedUsers, uploads].every((list) => list === null || isEmpty(list)),
    versions: { before: one.contentDigest, after: other.contentDigest },
    ...differences,
  };
}

function compareSetting(path: string, before: unknown, after: unknown): ValueChange[] {
  return before === after ? [] : [{ path, kind: 'value', before, after }];
}

function compareRoles(before: readonly RoleDefinition[], after: readonly RoleDefinition[]): RoleDifference[] {
  const [old, current] = [permissionsOf(before), permissionsOf(after)];
  const roles = Array.from(new Set([...old.keys(), ...current.keys()])).sort();
  return roles.flatMap((role): RoleDifference[] => {
    const permissions = compareLists(old.get(role) ?? [], current.get(role) ?? []);
    const kind = !old.has(role) ? 'added' : !current.has(role) ? 'removed' : 'changed';
    return kind === 'changed' && isEmpty(permissions) ? [] : [{ role, kind, permissions }];
  });
}

/** The last definition of a role counts. */
function permissionsOf(roles: readonly RoleDefinition[]): Map<string, readonly string[]> {
  return new Map(roles.map(({ type, permissions }) => [type, permissions]));
}

const noNames: ReadonlySet<string> = new Set();

/** A snapshot without uploaded files has no names; null if a snapshot allows every file of a folder. */
function compareUploads(before: UploadedFiles | null, after: UploadedFiles | null): ListChange | null {
  const [old, current] = [before, after].map((files) => (files ? files.names : noNames));
  if (old === current) return old && { added: [], removed: [] };
  return old && current ? compareLists(old, current) : null;
}

function compareLists(before: Iterable<string>, after: Iterable<string>): ListChange {
  const [old, current] = [new Set(before), new Set(after)];
  const missingIn = (set: ReadonlySet<string>) => (value: string) => !set.has(value);
  return {
    added: Array.from(current).filter(missingIn(old)).sort(),
    removed: Array.from(old).filter(missingIn(current)).sort(),
  };
}

function isEmpty({ added, removed }: ListChange): boolean {
  return added.length === 0 && removed.length === 0;
}

type Types = ReadonlyMap<string, EntryType>;

const properties = ['kind', 'singularName', 'pluralName', 'draftAndPublish', 'localized'] as const;

/** Returns the content types and components that differ, by uid. */
function compareTypes(before: Types, after: Types): TypeDifference[] {
  const uids = Array.from(new Set([...before.keys(), ...after.keys()])).sort();
  return uids.flatMap((uid) => compareType(uid, before.get(uid), after.get(uid)) ?? []);
}

function compareType(type: string, before?: EntryType, after?: EntryType): TypeDifference | null {
  if (!before || !after) {
    return { type, kind: before ? 'removed' : 'added', properties: [], attributes: [], isReordered: false };
  }
  const changed = properties
    .filter((name) => before[name] !== after[name])
    .map((path): ValueChange => ({ path, kind: 'value', before: before[path], after: after[path] }));
  const attributes = compareAttributes(before.attributes, after.attributes);
  const isReordered = orderOf(before, after) !== orderOf(after, before);
  if (changed.length === 0 && attributes.length === 0 && !isReordered) return null;
  return { type, kind: 'changed', properties: changed, attributes, isReordered };
}

function compareAttributes(
  before: ReadonlyMap<string, Attribute>,
  after: ReadonlyMap<string, Attribute>,
): AttributeChange[] {
  const names = Array.from(new Set([...before.keys(), ...after.keys()])).sort();
  return names
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** Returns the attributes that two types have in common, in the order of the first. */
function orderOf({ attributes }: EntryType, other: EntryType): string {
  return JSON.stringify(Array.from(attributes.keys()).filter((name) => other.attributes.has(name)));
}
