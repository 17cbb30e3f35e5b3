/** Queries and results of the library. */

/** A query string as an object, with values of any kind in place of text. */
export interface Query {
  filters?: object;
  fields?: string | string[];
  populate?: string | string[] | object;
  sort?: string | string[] | object | object[];
  pagination?: { page?: number; pageSize?: number; start?: number; limit?: number; withCount?: boolean };
  status?: 'published' | 'draft';
  /** Content of Strapi 4 only: `preview` shows drafts beside published entries. */
  publicationState?: 'live' | 'preview';
  locale?: string;
  publicationFilter?: string;
  hasPublishedVersion?: boolean;
  _q?: string;
}

/** A `find`, or a `findOne` if it names a document. */
export interface LibraryRead {
  readonly name: string;
  readonly documentId?: string;
  readonly query?: Query;
}

/** A result. `data` is a list of entries, or one entry. */
export interface Found {
  // biome-ignore lint/suspicious/noExplicitAny: what an entry holds is known to the caller's content model only
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: it depends on what was asked
  meta: any;
}
