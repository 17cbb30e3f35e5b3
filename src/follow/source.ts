/** The Strapi that content comes from, as plain data: it is sent to the thread that reads it. */

export type Source = ProjectSource | RestSource;

interface CommonSource {
  /** Seconds between two comparisons of everything that has a time of change, for what no signal tells. */
  readonly compareSeconds: number;
}

/** The folder of a Strapi project, with its database. */
export interface ProjectSource extends CommonSource {
  readonly kind: 'project';
  readonly folder: string;
}

/** A Strapi's REST API. */
export interface RestSource extends CommonSource {
  readonly kind: 'rest';
  readonly url: string;
  /** Null: requests have no token. */
  readonly token: string | null;
  /** An export or a project that has the content types. Null: they are read from the Strapi. */
  readonly types: string | null;
  /** The setting `cacheDir`, for what is pulled. Undefined: the temporary folder. */
  readonly cacheDir: string | undefined;
}
