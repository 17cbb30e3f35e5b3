import { IdTable } from '../../core/sets/id-table.ts';
import type { Schema } from '../../model/schema/schema.ts';

/** Digests of entries and links, by which a later read finds what has changed. Immutable. */
export interface ContentState {
  readonly schema: Schema;
  /** By uid of a content type: the digest of each entry with its components. */
  readonly entries: ReadonlyMap<string, IdTable>;
  /** By uid of a content type, and by uid of a component: the id of the entry that contains each component. */
  readonly components: ReadonlyMap<string, ReadonlyMap<string, IdTable>>;
  /** By table of links. A table may hold the links of several attributes. */
  readonly links: ReadonlyMap<string, ListDigests>;
}

/**
 * By uid and name of an owning attribute (`linkName`): the digest of the list of each row that has links. Links from or to
 * rows that do not exist are left out.
 */
export type ListDigests = ReadonlyMap<string, IdTable>;

export function emptyState(schema: Schema): ContentState {
  return { schema, entries: new Map(), components: new Map(), links: new Map() };
}

/** The ids of all rows of a content: entries, and components of entries. */
export class LiveRows {
  readonly schema: Schema;
  readonly #state: Pick<ContentState, 'entries' | 'components'>;
  readonly #numbers: ReadonlyMap<string, number>;
  /** By uid of a component. */
  readonly #components = new Map<string, Float64Array>();

  constructor({ schema, entries, components }: Omit<ContentState, 'links'>) {
    this.schema = schema;
    this.#state = { entries, components };
    this.#numbers = new Map(Array.from(schema.types.keys(), (uid, number) => [uid, number]));
  }

  numberOf(uid: string): number {
    return this.#numbers.get(uid)!;
  }

  /** The ids of the rows of a type, ascending. */
  idsOf(uid: string): Float64Array {
    if (this.schema.type(uid).kind !== 'component') return (this.#state.entries.get(uid) ?? IdTable.empty).ids;
    let ids = this.#components.get(uid);
    if (!ids) {
      const parts = Array.from(this.#state.components.values(), (byComponent) => byComponent.get(uid)?.ids ?? []);
      ids = new Float64Array(parts.reduce((total, part) => total + part.length, 0));
      let end = 0;
      for (const part of parts) {
        ids.set(part, end);
        end += part.length;
      }
      ids.sort();
      this.#components.set(uid, ids);
    }
    return ids;
  }
}
