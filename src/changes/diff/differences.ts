/** The differences of two snapshots, as plain data. `before` belongs to the first snapshot, `after` to the second. */

/** An entry that both snapshots may have. Its id may differ between them. */
export interface EntryKey {
  /** uid of the content type. */
  readonly type: string;
  /** Null for an entry without one. */
  readonly documentId: string | null;
  /** Identifies an entry without a documentId; null for all others. */
  readonly id: number | null;
  /** Null for an entry without a locale. */
  readonly locale: string | null;
  /** Null for a type without drafts. */
  readonly status: 'published' | 'draft' | null;
}

/**
 * How an entry differs. If the difference is `minor`, no attribute has another value, but replies may differ: in the id
 * of the entry, its components or related entries, in its position in lists of related entries, or in an attribute
 * without a value, or a private one, that only one of the types has.
 */
export type EntryDifferenceKind = 'added' | 'removed' | 'changed' | 'minor';

export interface EntryDifference extends EntryKey {
  readonly kind: EntryDifferenceKind;
  /** Empty unless `kind` is `changed`. */
  readonly changes: readonly ValueChange[];
}

/**
 * A value that differs, whole; null if there is none. `path` is such as `title`, `author` or `blocks[2].title`, with
 * items counted from 0.
 */
export type ValueChange = { readonly path: string } & (
  | {
      readonly kind: 'value';
      /** As in replies, but components have no ids, and relations in components are as below. */
      readonly before: unknown;
      readonly after: unknown;
    }
  | { readonly kind: 'relation'; readonly before: RelationTargets; readonly after: RelationTargets }
  /** Links of a private attribute, which are not shown. */
  | { readonly kind: 'private'; readonly before: null; readonly after: null }
);

/** The targets of a relation: a list in order for one to many. */
export type RelationTargets = EntryKey | readonly EntryKey[] | null;

/** Definitions of an attribute, as plain data; null for a type without it. */
export interface AttributeChange {
  readonly name: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface TypeDifference {
  /** uid of the content type or component. */
  readonly type: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Such as `draftAndPublish`. */
  readonly properties: readonly ValueChange[];
  readonly attributes: readonly AttributeChange[];
  /** Whether the attributes that both types have follow in another order, as they do in replies. */
  readonly isReordered: boolean;
}

export interface RoleDifference {
  /** The type of the role, such as `public`. */
  readonly role: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** The actions, such as `api::article.article.find`. */
  readonly permissions: ListChange;
}

/** All lists are sorted. */
export interface SnapshotDifferences {
  /** Whether there is no difference at all. */
  readonly isEqual: boolean;
  /** The versions of the contents, which cover types, entries and the default locale. */
  readonly versions: { readonly before: string; readonly after: string };
  /** `defaultLocale` and `emailConfirmation`, if they differ. */
  readonly settings: readonly ValueChange[];
  readonly locales: ListChange;
  readonly roles: readonly RoleDifference[];
  /** documentIds of users. */
  readonly blockedUsers: ListChange;
  /** Names of uploaded files; null if a snapshot does not list them. The bytes of the files are not compared. */
  readonly uploads: ListChange | null;
  readonly types: readonly TypeDifference[];
  readonly entries: readonly EntryDifference[];
}
