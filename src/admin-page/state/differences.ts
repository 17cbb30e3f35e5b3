/** The differences of a preview to its base, by document and in words. */
import type {
  EntryDifference,
  EntryKey,
  RelationTargets,
  SnapshotDifferences,
  ValueChange,
} from '../../changes/diff/differences.ts';
import type { SentChange } from './replies.ts';

/** A document with all its entries that differ. */
export interface ChangedDocument {
  readonly type: string;
  /** Null for an entry without one, which cannot be chosen. */
  readonly documentId: string | null;
  /** Identifies it in the page. */
  readonly key: string;
  readonly entries: readonly EntryDifference[];
}

/** Maximum characters of a value that the page shows. */
const maxLength = 400;

export function keyOf(type: string, documentId: string): string {
  return JSON.stringify([type, documentId]);
}

/** Returns the document of a key, as `apply` takes it. */
export function documentOf(key: string): { readonly type: string; readonly documentId: string } {
  const [type, documentId] = JSON.parse(key) as [string, string];
  return { type, documentId };
}

/** Returns the documents in the order of their first entries. */
export function changedDocuments(entries: readonly EntryDifference[]): ChangedDocument[] {
  const documents = new Map<string, ChangedDocument & { entries: EntryDifference[] }>();
  for (const entry of entries) {
    const { type, documentId, id } = entry;
    const key = documentId === null ? JSON.stringify([type, id]) : keyOf(type, documentId);
    const known = documents.get(key);
    if (known) known.entries.push(entry);
    else documents.set(key, { type, documentId, key, entries: [entry] });
  }
  return [...documents.values()];
}

/** Returns the keys of the documents that changes name. A document may also differ because of the change of another. */
export function sentDocuments(changes: readonly SentChange[]): Set<string> {
  return new Set(
    changes.flatMap((change) => {
      const { type, documentId } = targetOf(change);
      return documentId === null ? [] : [keyOf(type, documentId)];
    }),
  );
}

/** What a change does, and to which document. */
export interface ChangeTarget {
  readonly operation: string;
  readonly type: string;
  /** Null for a change that names none. */
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly status: string | null;
}

export function targetOf(change: SentChange): ChangeTarget {
  const operation = ['upsert', 'patch', 'delete'].find((name) => name in change) ?? 'change';
  const entry = change.entry && typeof change.entry === 'object' ? (change.entry as SentChange) : {};
  const text = (name: string) => {
    const value = change[name] ?? entry[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    operation,
    type: String(change[operation] ?? ''),
    documentId: text('documentId'),
    locale: text('locale'),
    status: text('status'),
  };
}

/** Returns the locale and the status of an entry, as far as it has them. */
export function variantOf({ locale, status }: Pick<EntryKey, 'locale'> & { readonly status: string | null }): string {
  return [locale, status].filter((part) => part !== null).join(', ');
}

/** Returns what a change was before and is after, in words. Null for a private attribute, whose values are not shown. */
export function changeTexts(change: ValueChange): { readonly before: string; readonly after: string } | null {
  if (change.kind === 'private') return null;
  const textOf = change.kind === 'relation' ? relationText : valueText;
  return { before: textOf(change.before as never), after: textOf(change.after as never) };
}

/** Returns a value on one line. Null stands for no value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function relationText(targets: RelationTargets): string {
  const names = [targets ?? []].flat().map(({ documentId, id, locale, status }) => {
    const variant = variantOf({ locale, status });
    return (documentId ?? `id ${id}`) + (variant && ` (${variant})`);
  });
  const text = names.join(', ') || 'nothing';
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Returns what differs besides entries, a line for each. */
export function otherDifferences({ settings, locales, roles, blockedUsers }: SnapshotDifferences): string[] {
  const lines = (what: string, { added, removed }: { added: readonly string[]; removed: readonly string[] }) => [
    ...added.map((name) => `+ ${what} ${name}`),
    ...removed.map((name) => `− ${what} ${name}`),
  ];
  return [
    ...settings.map(({ path, before, after }) => `${path}: ${valueText(before)} → ${valueText(after)}`),
    ...lines('locale', locales),
    ...roles.flatMap(({ role, kind, permissions }) => [
      ...(kind === 'changed' ? [] : [`role ${role} ${kind}`]),
      ...lines(`permission of ${role}:`, permissions),
    ]),
    ...lines('blocked user', blockedUsers),
  ];
}
