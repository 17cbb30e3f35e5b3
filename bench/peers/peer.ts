import type { Rows } from '../content/rows.ts';
import type { Asked, Query } from '../query.ts';

/** One way to answer queries. */
export interface Peer {
  /** As it is named on the command line and in results. */
  name: string;
  title: string;
  /** In the picture. By default it depends on the peer's place in the list. */
  colour?: string;
  /** Packages of `bench/package.json` that it needs. They are imported after they were installed. */
  packages?: string[];
  /** The peer loads the snapshot itself and gets no rows. */
  readsSnapshot?: true;
  /** Loads code, so that `open` takes no time for it. */
  loadCode?(opening?: Opening): unknown;
  open(content: PeerContent): Answerer | Promise<Answerer>;
}

export interface PeerContent {
  /** The folder of the snapshot. */
  snapshot: string;
  rows: Rows;
  /** The queries that will be asked. */
  queries: Query[];
  /** Only for Lectern. */
  opening?: Opening;
}

/** How Lectern is opened over content of one's own, or in another version. Replies with any status are answers then. */
export interface Opening {
  /** Settings of the library. */
  settings: Record<string, unknown>;
  authorization?: string;
  /** The URL of the version's `dist/`, with a slash at the end. */
  dist?: string;
}

/** Prepares a query, outside of all measured time. Null declines it. The sets are those that will be asked. */
export type Answerer = (query: Pick<Query, 'name' | 'newForms'>, sets: Asked[]) => Answer | null;

/** Gives the bytes of the whole reply: `{data, meta}`. */
export type Answer = (asked: Asked) => Buffer;
