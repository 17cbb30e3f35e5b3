import type { Dialect } from './snapshot.ts';
import type { Row, World } from './world.ts';

/** The rows that a relation, media field, component or zone leads to, as a request sees them. */
export interface Links {
  /** What a filter or a sort looks at. */
  visited(row: Row, name: string): Row[];
  /** What is populated. */
  populated(row: Row, name: string): Row[];
}

/** The versions of documents that a request shows. */
export interface Versions {
  status: 'published' | 'draft';
  /** The locales to look in, the first one first; null without fallbacks. */
  locales: string[] | null;
}

/** The version of the row's document that is shown with fallbacks; null if there is none. */
export function shownVersion(world: World, row: Row, { status, locales }: Versions): Row | null {
  if (locales === null || !row.type.localized || row.type.kind === 'component') return row;
  const versions = world.rows[row.type.uid]!.filter((other) => {
    return other.documentId === row.documentId && (!other.type.drafts || other.status === status);
  });
  for (const locale of locales) {
    const shown = versions.find((other) => other.locale === locale);
    if (shown) return shown;
  }
  return null;
}

export function linksOf(world: World, dialect: Dialect, versions: Versions): Links {
  const hasStatus = (row: Row) => !row.type.drafts || row.status === versions.status;
  const shown = (rows: Row[], name: string): Row[] => {
    if (versions.locales === null || name === 'localizations') return rows;
    return [...new Set(rows.map((row) => shownVersion(world, row, versions)).filter((row) => row !== null))];
  };
  // the recorded server filters and sorts through linked rows of both statuses, drafts for every caller
  const isVisited = (row: Row) => dialect === 'strapi' || hasStatus(row);
  return {
    visited: (row, name) => shown(row.related[name]!.filter(isVisited), name),
    populated: (row, name) => shown(row.related[name]!.filter(hasStatus), name),
  };
}
