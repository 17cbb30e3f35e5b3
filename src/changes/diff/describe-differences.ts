/** Describes the differences of two snapshots in lines of text. */
import { formatNumber } from '../../core/problems.ts';
import type {
  EntryDifference,
  EntryKey,
  ListChange,
  RelationTargets,
  SnapshotDifferences,
  TypeDifference,
  ValueChange,
} from './differences.ts';

/** Maximum length of a value, in characters. */
const maxValueLength = 60;
/** Characters before the first difference of two long values. */
const maxContext = 10;

/** Returns lines: headings, and below each at most `limit` lines. The same differences give the same lines. */
export function describeDifferences(differences: SnapshotDifferences, limit: number): string[] {
  const { isEqual, versions, settings, locales, roles, blockedUsers, uploads, types, entries } = differences;
  if (isEqual) return [`The snapshots are equal, version ${versions.after}.`];
  return [
    ...(settings.length > 0 ? section('settings', settings.map(describeChange), limit) : []),
    ...listSection('locales', locales, limit),
    ...roles.flatMap(({ role, kind, permissions }) => {
      return section(`role ${plain(role)} ${kind}: permissions ${counts(permissions)}`, signed(permissions), limit);
    }),
    ...listSection('blocked users', blockedUsers, limit),
    ...listSection('uploaded files', uploads ?? { added: [], removed: [] }, limit),
    ...types.flatMap((type) => describeType(type, limit)),
    ...describeEntries(entries, limit),
  ];
}

function section(heading: string, lines: readonly string[], limit: number): string[] {
  const more = lines.length - limit;
  return [
    heading,
    ...lines.slice(0, limit).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${formatNumber(more)} more`] : []),
  ];
}

function listSection(name: string, list: ListChange, limit: number): string[] {
  const lines = signed(list);
  return lines.length > 0 ? section(`${name}: ${counts(list)}`, lines, limit) : [];
}

/** `1 added, 2 removed`. */
function counts({ added, removed }: ListChange): string {
  return `${formatNumber(added.length)} added, ${formatNumber(removed.length)} removed`;
}

function signed({ added, removed }: ListChange): string[] {
  return [...added.map((name) => `+ ${plain(name)}`), ...removed.map((name) => `- ${plain(name)}`)];
}

function describeType({ type, kind, properties, attributes, isReordered }: TypeDifference, limit: number): string[] {
  if (kind !== 'changed') return [`type ${plain(type)} ${kind}`];
  const lines = [
    ...properties.map(describeChange),
    ...attributes.map(({ name, before, after }) => {
      if (before === null) return `+ attribute ${plain(name)}`;
      return after ? `~ attribute ${plain(name)}: ${definitionChange(before, after)}` : `- attribute ${plain(name)}`;
    }),
    ...(isReordered ? ['~ order of attributes'] : []),
  ];
  return section(`type ${plain(type)} changed`, lines, limit);
}

/** Returns the parts of an attribute definition that differ. */
function definitionChange(before: object, after: object): string {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = Array.from(new Set([...old.keys(), ...current.keys()]));
  const changes = keys.flatMap((key) => {
    const pair = [old.get(key), current.get(key)].map((value) => json(value ?? null));
    return pair[0] === pair[1] ? [] : `${key} ${arrow(pair[0], pair[1])}`;
  });
  return changes.join(', ');
}

function describeEntries(entries: readonly EntryDifference[], limit: number): string[] {
  const types = Array.from(new Set(entries.map(({ type }) => type)));
  return types.flatMap((uid) => {
    const ofType = entries.filter(({ type }) => type === uid);
    const counted = kinds.flatMap(([kind, words]) => {
      const count = ofType.filter((entry) => entry.kind === kind).length;
      return count > 0 ? `${formatNumber(count)} ${words}` : [];
    });
    return section(`${plain(uid)}: ${counted.join(', ')}`, ofType.flatMap(describeEntry), limit);
  });
}

const kinds = [
  ['added', 'added'],
  ['removed', 'removed'],
  ['changed', 'changed'],
  ['minor', 'with minor differences'],
] as const;

function describeEntry(entry: EntryDifference): string[] {
  const signs = { added: '+', removed: '-', changed: '~' };
  if (entry.kind === 'minor') return [];
  return [`${signs[entry.kind]} ${nameOf(entry)}`, ...entry.changes.map((change) => `    ${describeChange(change)}`)];
}

/** `article-1 (en, draft)`. */
export function nameOf({ documentId, id, locale, status }: EntryKey): string {
  const version = [locale, status].filter((part) => part !== null).map(plain);
  return (
    (documentId === null ? `id ${id}` : plain(documentId)) + (version.length > 0 ? ` (${version.join(', ')})` : '')
  );
}

function describeChange(change: ValueChange): string {
  const { path } = change;
  switch (change.kind) {
    case 'private':
      return `${path} (private)`;
    case 'relation':
      return `${path}: ${describeRelation(change.before, change.after)}`;
    case 'value':
      return `${path}: ${arrow(json(change.before), json(change.after))}`;
    default:
      return change satisfies never;
  }
}

/** Describes a changed relation: a single target before and after, or the added and removed targets of a list. */
function describeRelation(before: RelationTargets, after: RelationTargets): string {
  const [oldNames, newNames] = [before, after].map((targets) => [targets ?? []].flat().map(nameOf));
  if (!Array.isArray(before) && !Array.isArray(after)) return arrow(oldNames[0] ?? 'null', newNames[0] ?? 'null');
  const [old, current] = [new Set(oldNames), new Set(newNames)];
  const added = Array.from(current).filter((name) => !old.has(name));
  const removed = Array.from(old).filter((name) => !current.has(name));
  const lists = [added.length > 0 ? `+ ${added.join(', ')}` : [], removed.length > 0 ? `- ${removed.join(', ')}` : []];
  return shorten(lists.flat().join('; ') || 'another order');
}

/** Describes a changed value. Cuts most of a long common prefix. */
function arrow(before: string, after: string): string {
  let common = 0;
  while (common < before.length && before[common] === after[common]) common++;
  const start = common > maxContext * 2 ? common - maxContext : 0;
  const part = (text: string) => shorten(start > 0 ? `…${text.slice(start)}` : text);
  return `${part(before)} -> ${part(after)}`;
}

function shorten(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text;
}

/** Returns a value as JSON of at most some characters, without those that change how a terminal shows text. */
export function excerptOf(value: unknown): string {
  return shorten(json(value ?? null));
}

/** Quotes a name that could be mistaken for several words. */
function plain(name: string): string {
  return /^[\w.:/@+-]+$/.test(name) ? name : json(name);
}

/** Returns a value as JSON. Escapes control characters and those that reverse the direction of text. */
function json(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped);
}
