/** Queries and answers as the library takes and gives them. */

/** A query as an object: what a query string says, with values of any kind where text would stand. */
export interface Query {
  filters?: object;
  fields?: string | string[];
  populate?: string | string[] | object;
  sort?: string | string[] | object | object[];
  pagination?: { page?: number; pageSize?: number; start?: number; limit?: number; withCount?: boolean };
  status?: 'published' | 'draft';
  /** Of content of Strapi 4: `preview` shows drafts beside published entries. */
  publicationState?: 'live' | 'preview';
  locale?: string;
  publicationFilter?: string;
  hasPublishedVersion?: boolean;
  _q?: string;
}

/** What was found: `data` is a list of entries, or one. */
export interface Found {
  // biome-ignore lint/suspicious/noExplicitAny: what an entry holds is known to the caller's content model only
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: it depends on what was asked
  meta: any;
}
