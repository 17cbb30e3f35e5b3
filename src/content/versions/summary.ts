import type { DatabaseName } from '../../core/dialect.ts';
import type { SnapshotWarning } from '../../core/problems.ts';
import type { Catalog } from '../../engine/catalog.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';

/** The content of a snapshot, for people. */
export interface ContentSummary {
  /** Equal for equal content. */
  version: string;
  dialect: 'document' | 'strapi';
  /** The database whose rules decide where null stands in a sort and how the case of texts counts. */
  database: DatabaseName;
  /** The collation by which texts are compared with the rules of MySQL; null otherwise. */
  collation: string | null;
  /** The version of Strapi that wrote the content, such as 4.26.2; null where it is not known. */
  strapiVersion: string | null;
  /** The form of replies over HTTP where a request does not ask for one. */
  responseFormat: 'v4' | 'v5';
  defaultLocale: string;
  /** The content types that are served. `route` is the path below the prefix. */
  types: { uid: string; kind: 'collectionType' | 'singleType'; route: string; entries: number }[];
  /** Paths of the routes of an extension, with the prefix. */
  customRoutes: string[];
  /** The number of components inside entries. */
  components: number;
  loadMilliseconds: number;
  /** The inferred types in words, for a snapshot that is one file of data. */
  inferred: string[] | null;
  /** When loading ended, as ISO 8601. */
  loadedAt: string;
  /** The newest `updatedAt` of all entries, drafts and users included, as ISO 8601; null if none has any. */
  updatedAt: string | null;
  /** Mistakes in the snapshot that Strapi tolerates, one warning for each kind, and settings that are rejected. */
  warnings: SnapshotWarning[];
}

/** What the summary shows besides the snapshot. */
type SummaryDetails = Pick<ContentSummary, 'responseFormat' | 'customRoutes' | 'loadMilliseconds' | 'warnings'>;

export function summarize(loaded: LoadedSnapshot, catalog: Catalog, details: SummaryDetails): ContentSummary {
  return {
    ...summarizeStore(loaded.store, catalog),
    dialect: catalog.dialect.name,
    database: catalog.dialect.database,
    collation: catalog.dialect.mysql?.collation ?? null,
    strapiVersion: loaded.strapiVersion,
    defaultLocale: loaded.store.defaultLocale,
    inferred: loaded.inferred && [...loaded.inferred],
    loadedAt: new Date().toISOString(),
    ...details,
  };
}

/** Returns what a batch of changes may change. */
export function summarizeStore(
  store: Store,
  { routes }: Catalog,
): Pick<ContentSummary, 'version' | 'types' | 'components' | 'updatedAt'> {
  const types = store.segments.flatMap((segment) => {
    const { type } = segment.collection;
    const route = type.kind === 'component' ? null : routes.pathOf(type.uid);
    if (route === null || type.kind === 'component') return [];
    return [{ uid: type.uid, kind: type.kind, route, entries: liveRows(segment) }];
  });
  const components = store.segments.filter(({ collection }) => collection.type.kind === 'component');
  return {
    version: store.contentDigest,
    types,
    components: components.reduce((total, segment) => total + liveRows(segment), 0),
    updatedAt: newestUpdate(store),
  };
}

function liveRows({ rowCount, dead }: Segment): number {
  return rowCount - dead.length;
}

/**
 * Returns the newest `updatedAt` of all entries as ISO 8601; null if no entry has one. Reads only the dictionaries. An
 * attribute of a component may have the name and any type.
 */
export function newestUpdate({ segments }: Store): string | null {
  const entries = segments.filter(({ collection }) => collection.type.kind !== 'component');
  const columns = entries.flatMap(({ collection, delta }) => [collection.columns, delta?.columns ?? []].flat());
  const newest = columns.map((each) => {
    const dictionary = each.get('updatedAt')?.dictionary;
    return dictionary?.kind === 'number' ? (dictionary.values.at(-1) ?? null) : null;
  });
  const known = newest.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known)).toISOString();
}
