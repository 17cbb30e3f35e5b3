import type { Rows } from '../data/rows.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';

/** Whatever can be asked. */
export interface Peer {
  /** Takes the rows and prepares what it likes; `snapshot` is the folder that they come from. */
  load(rows: Rows, snapshot: string): void | Promise<void>;
  /** The reply's bytes: `{data, meta: {pagination: {page, pageSize, pageCount, total}}}`. */
  query(name: QueryName, set: ParameterSet): Buffer;
  /** Looks the answers up in advance, outside the timing: only the floor does. */
  prepare?(name: QueryName, sets: ParameterSet[]): void;
}
