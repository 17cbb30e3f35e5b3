import type { BatchLinks, LinkTarget } from '../../changes/batch/batch.ts';
import { heapAllocator } from '../../core/memory/allocator.ts';
import { Problems } from '../../core/problems.ts';
import { IdTable, IdTableBuilder } from '../../core/sets/id-table.ts';
import { firstWhere, iota } from '../../core/sets/row-set.ts';
import { isLinkEnd, LinkReader } from '../../load/strapi/link-reader.ts';
import { isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { AdjacencyBuilder } from '../../store/writer/links/adjacency-builder.ts';
import { type LinkList, linksBySource } from '../../store/writer/links/link-list.ts';
import { linkName } from '../../store/writer/links/store-links.ts';
import { shortDigest } from '../../store/writer/rows/row-digest.ts';
import type { ListDigests, LiveRows } from './content-state.ts';

export interface ComparedLinks {
  readonly lists: ListDigests;
  /** The lists that differ, each of a row that exists. */
  readonly changed: readonly BatchLinks[];
}

/** The links of an owning attribute, while they are read. */
interface Collected {
  readonly uid: string;
  readonly attribute: string;
  readonly builder: AdjacencyBuilder;
}

/** Compares the links of one table, as lines of an export, with the digests of their earlier lists. */
export class LinkComparison {
  readonly #rows: LiveRows;
  readonly #reader: LinkReader;
  readonly #collected = new Map<string, Collected>();
  readonly #known = new Map<string, Float64Array>();

  /** `rows` has the rows that exist now. */
  constructor(rows: LiveRows) {
    this.#rows = rows;
    const { schema } = rows;
    const sink = {
      schema,
      numberOf: (uid: string) => rows.numberOf(uid),
      rows: (uid: string) => ({ ordinalOf: (id: number) => this.#ordinalOf(uid, id) }),
      links: (uid: string, attribute: string) => this.#links(uid, attribute),
    };
    this.#reader = new LinkReader(sink, new Problems('tolerant'), false);
  }

  add({ left, right }: Record<string, unknown>): void {
    if (isLinkEnd(left) && isLinkEnd(right)) this.#reader.add(left, right, '');
  }

  /**
   * To be called once, after all links of the table. Without `keepsChanges`, the lists that differ are not returned. With
   * `only`, the lists of other rows are as before.
   */
  finish(
    before: ListDigests | undefined,
    keepsChanges: boolean,
    only: ReadonlySet<number> | null = null,
  ): ComparedLinks {
    const lists = new Map<string, IdTable>();
    const changed: BatchLinks[] = [];
    const names = new Map<string, Pick<Collected, 'uid' | 'attribute'>>(this.#collected);
    for (const name of before?.keys() ?? []) {
      const [uid, attribute] = name.split(' ');
      names.set(name, this.#collected.get(name) ?? { uid, attribute });
    }
    for (const [name, { uid, attribute }] of names) {
      const found = this.#finishLists(uid, attribute);
      const earlier = before?.get(name) ?? IdTable.empty;
      const read = only && new Map(Array.from(only, (id) => [id, found.digests.get(id) ?? null]));
      const digests = read ? earlier.with(read) : found.digests;
      if (digests.size > 0) lists.set(name, digests);
      if (!keepsChanges) continue;
      IdTable.eachDifference(earlier, digests, (id) => {
        const source = this.#ordinalOf(uid, id);
        if (source !== undefined) changed.push({ type: uid, id, attribute, targets: found.targetsOf(source) });
      });
    }
    return { lists, changed };
  }

  #links(uid: string, attribute: string): AdjacencyBuilder {
    const name = linkName(uid, attribute);
    let links = this.#collected.get(name);
    if (!links) this.#collected.set(name, (links = { uid, attribute, builder: new AdjacencyBuilder(name) }));
    return links.builder;
  }

  #idsOf(uid: string): Float64Array {
    let ids = this.#known.get(uid);
    if (!ids) this.#known.set(uid, (ids = this.#rows.idsOf(uid)));
    return ids;
  }

  #ordinalOf(uid: string, id: number): number | undefined {
    const ids = this.#idsOf(uid);
    const index = firstWhere(ids.length, (i) => ids[i] >= id);
    return ids[index] === id ? index : undefined;
  }

  #finishLists(uid: string, name: string): FinishedLists {
    const { schema } = this.#rows;
    const builder = this.#collected.get(linkName(uid, name))?.builder ?? new AdjacencyBuilder();
    // the ordinals are rows already, because both are in the order of the ids
    const uids = [...schema.types.keys()];
    const sameRows = uids.map((each) => iota(this.#known.has(each) ? this.#idsOf(each).length : 0));
    const attribute = schema.type(uid).attributes.get(name) as LinkAttribute;
    const list = builder.finish(this.#rows.numberOf(uid), sameRows);
    const idsOf = (collection: number) => this.#idsOf(uids[collection]);
    return new FinishedLists(list, this.#idsOf(uid), attribute, schema, idsOf);
  }
}

/** Bytes of a link in a digest: number and id of the target, both positions, and the digest of the inverse attribute. */
const linkBytes = 40;

/** The lists of all rows in one attribute. */
class FinishedLists {
  /** By the id of each row that has links. */
  readonly digests: IdTable;
  readonly #list: LinkList;
  readonly #offsets: Uint32Array;
  readonly #links: Uint32Array;
  readonly #schema: Schema;
  readonly #uids: readonly string[];
  readonly #idsOf: (collection: number) => Float64Array;

  /** `sources` are the ids of the rows. */
  constructor(
    list: LinkList,
    sources: Float64Array,
    attribute: LinkAttribute,
    schema: Schema,
    idsOf: (collection: number) => Float64Array,
  ) {
    this.#list = list;
    this.#schema = schema;
    this.#uids = [...schema.types.keys()];
    this.#idsOf = idsOf;
    const { orders, inverseOrders, collections, targets } = list;
    const keys = isPolymorphic(attribute) ? [orders, inverseOrders, collections, targets] : [orders, targets];
    const { offsets, targets: links } = linksBySource(list.sources, sources.length, keys, heapAllocator);
    this.#offsets = offsets;
    this.#links = links;
    this.digests = this.#digest(sources);
  }

  /** The links of a row in the order of its list. */
  targetsOf(source: number): LinkTarget[] {
    const { collections, targets, orders, inverseOrders, shownBy } = this.#list;
    return Array.from(this.#links.subarray(this.#offsets[source], this.#offsets[source + 1]), (link) => {
      const type = this.#uids[collections[link]];
      const inverse = shownBy.get(link);
      const target = {
        type,
        id: this.#idsOf(collections[link])[targets[link]],
        position: orders[link],
        inversePosition: inverseOrders[link],
      };
      if (inverse === undefined) return target;
      // Strapi may write any name. A name that the type lacks shows nothing
      return { ...target, inverse: this.#schema.type(type).attributes.has(inverse) ? inverse : '' };
    });
  }

  #digest(sources: Float64Array): IdTable {
    const builder = new IdTableBuilder();
    const { collections, targets, orders, inverseOrders, shownBy } = this.#list;
    const offsets = this.#offsets;
    let bytes = new Uint8Array(linkBytes * 16);
    for (let source = 0; source < sources.length; source++) {
      const count = offsets[source + 1] - offsets[source];
      if (count === 0) continue;
      if (bytes.length < count * linkBytes) bytes = new Uint8Array(count * linkBytes * 2);
      const numbers = new Float64Array(bytes.buffer, 0, count * 5);
      for (let i = 0; i < count; i++) {
        const link = this.#links[offsets[source] + i];
        const inverse = shownBy.get(link);
        numbers[i * 5] = collections[link];
        numbers[i * 5 + 1] = this.#idsOf(collections[link])[targets[link]];
        numbers[i * 5 + 2] = orders[link];
        numbers[i * 5 + 3] = inverseOrders[link];
        numbers[i * 5 + 4] = inverse === undefined ? -1 : shortDigest(inverse);
      }
      builder.add(sources[source], shortDigest(bytes.subarray(0, count * linkBytes)));
    }
    return builder.finish();
  }
}
