/** What the page reads of the replies of the admin port. */
import type { EntryKey, SnapshotDifferences } from '../../changes/diff/differences.ts';

export interface Warning {
  readonly kind: string;
  readonly count: number;
  readonly message: string;
}

/** `GET /_status`. */
export interface Status {
  readonly token: { readonly name: string; readonly rights: readonly string[] };
  /** Without `warnings`, the rights of the token do not show them. */
  readonly contents: readonly { readonly name: string; readonly warnings?: readonly Warning[] }[];
}

/** A content that follows a source. */
export interface Source {
  readonly content: string;
  readonly source: string;
  readonly ageSeconds: number | null;
  readonly lagSeconds: number | null;
  readonly error?: { readonly failedAt: string; readonly message: string };
  readonly failuresInARow: number;
  readonly isStandby?: boolean;
}

export interface Pinned {
  readonly content: string;
  readonly version: string;
  readonly since: string;
}

/** `GET /_ready`. */
export interface Readiness {
  readonly reload?: { readonly failedAt: string; readonly error: string };
  readonly journal?: string;
  readonly pinned?: readonly Pinned[];
  readonly sources?: readonly Source[];
}

/** A content in `GET /_contents`. Ages are in seconds. */
export interface ListedContent {
  readonly name: string;
  /** Only of a preview. */
  readonly base?: string;
  readonly drafts?: boolean;
  readonly version: string | null;
  readonly entries: number | null;
  readonly host: string | null;
  readonly bytes: number | null;
  readonly age: number | null;
  readonly lastUsed: string | null;
  readonly lifetimeLeft: number | null;
  readonly error: string | null;
}

/** `GET /_contents`. */
export interface ContentList {
  readonly contents: readonly ListedContent[];
}

/** `GET /_pin`. */
export interface Versions {
  readonly version: string;
  readonly latest: string;
  readonly pinnedSince: string | null;
  readonly versions: readonly { readonly version: string; readonly madeAt: string; readonly changed: number | null }[];
}

/** Whether the changes of a preview fit its base. */
export type Fit =
  | { readonly fits: true }
  | { readonly fits: false; readonly problems: readonly string[]; readonly count: number };

/** A change as it was sent, such as `{ "patch": TYPE, "documentId": …, "set": {…} }`. */
export type SentChange = Readonly<Record<string, unknown>>;

/** `GET /_contents/NAME/changes`. */
export interface PreviewChanges {
  readonly base: string;
  /** Null without a base. */
  readonly baseVersion: string | null;
  readonly fit: Fit;
  readonly changeCount: number;
  readonly lists: readonly (readonly SentChange[])[];
  readonly entryCount: number;
  /** From the base to the preview. Null while the changes do not fit. */
  readonly differences: SnapshotDifferences | null;
}

/** What both a preview and its base have changed. */
export interface Conflict extends Omit<EntryKey, 'id'> {
  readonly kind: 'changed' | 'gone' | 'unfit';
  readonly attribute: string | null;
  readonly before?: unknown;
  readonly base: unknown;
  readonly preview: unknown;
  readonly message: string;
}
