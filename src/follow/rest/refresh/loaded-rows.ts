import { isPlainObject } from '../../../core/plain-object.ts';
import { firstWhere } from '../../../core/sets/row-set.ts';
import type { StrapiContent } from '../../../load/strapi/strapi-content.ts';
import { isLocalizations, type LinkAttribute, type Schema } from '../../../model/schema/schema.ts';
import { adjacencyFromPairs, type PolymorphicAdjacency } from '../../../store/links/adjacency.ts';
import type { Store } from '../../../store/store.ts';
import { type OwnedLinks, ownedLinks } from '../../../store/writer/links/owned-links.ts';
import { inverseNameOf } from '../../../store/writer/links/shown-by.ts';
import { type LoadedList, LoadedType, type RowLinks, type RowSummary, targetsOf } from './loaded-type.ts';
import { sidesOf } from './relation-sides.ts';
import type { KnownRow, ListedTarget, OwnList, RowAddress } from './source-row.ts';

/**
 * The rows of loaded content without their values, with their links in both directions. Has arrays of its own, of about
 * 100 bytes a row and 12 bytes a link, because those of the store go to another thread. Never changes.
 */
export class LoadedRows {
  readonly #types: readonly LoadedType[];
  readonly #byUid: ReadonlyMap<string, LoadedType>;
  /** The rows that link to each row, or contain it. */
  readonly #reverse: RowLinks;

  private constructor(store: Pick<Store, 'schema' | 'collections'>) {
    let start = 0;
    this.#types = store.collections.map((collection) => {
      const type = new LoadedType(collection, start);
      start += collection.rowCount;
      return type;
    });
    this.#byUid = new Map(this.#types.map((type) => [type.uid, type]));
    const owned = ownedLinks(store);
    const linkCount = owned.reduce((total, { links }) => total + links.targets.length, 0);
    const [sources, targets] = [new Uint32Array(linkCount), new Uint32Array(linkCount)];
    let end = 0;
    for (const links of owned) {
      const list = this.#addList(store.schema, links);
      if (!list) continue;
      const source = this.#types[links.collection.number];
      const { offsets } = list.links;
      for (let row = 0; row < source.rowCount; row++) {
        sources.fill(source.start + row, end + offsets[row], end + offsets[row + 1]);
      }
      targets.set(list.links.targets, end);
      end += list.links.targets.length;
    }
    this.#reverse = adjacencyFromPairs(targets.subarray(0, end), sources.subarray(0, end), start);
  }

  /** `store` is the store of the content, without changes. Its arrays are not kept. */
  static async read(
    store: Pick<Store, 'schema' | 'collections'>,
    content: Pick<StrapiContent, 'each'>,
  ): Promise<LoadedRows> {
    const rows = new LoadedRows(store);
    await content.each('entities', ({ type, id, data }) => {
      if (typeof id === 'number' && isPlainObject(data)) rows.#byUid.get(type as string)?.take(id, data);
    });
    return rows;
  }

  get(uid: string, id: number): KnownRow | undefined {
    const type = this.#byUid.get(uid);
    const row = type?.digests.indexOf(id);
    return row === undefined ? undefined : this.#row(type!, row);
  }

  *ofType(uid: string): Generator<KnownRow> {
    const type = this.#byUid.get(uid);
    for (let row = 0; type && row < type.rowCount; row++) yield this.#row(type, row);
  }

  ofDocument(uid: string, documentId: string): KnownRow[] {
    const type = this.#byUid.get(uid);
    return type ? type.ofDocument(documentId).map((row) => this.#row(type, row)) : [];
  }

  /** Returns the entries with an own list that has this target, each once. */
  linkingTo({ type: uid, id }: RowAddress): KnownRow[] {
    const type = this.#byUid.get(uid);
    const row = type?.digests.indexOf(id);
    if (row === undefined) return [];
    const entries = new Set<number>();
    const targets = [type!.start + row];
    // grows while it is walked: what contains a component that links to the target links to it too
    for (const target of targets) {
      for (const source of targetsOf(this.#reverse, target)) {
        if (this.#typeAt(source).definition.kind === 'component') targets.push(source);
        else entries.add(source);
      }
    }
    return Array.from(entries, (number) => {
      const source = this.#typeAt(number);
      return this.#row(source, number - source.start);
    });
  }

  /** As `KnownRows.summary`. */
  summary(uid: string, published: boolean | null): RowSummary {
    return this.#byUid.get(uid)?.summary(published) ?? { count: 0, greatestId: 0 };
  }

  /** Adds the links of an attribute to its type, and to the type of its targets if these list them. */
  #addList(
    schema: Schema,
    { collection, attribute: name, links, targetCollection, owning }: OwnedLinks,
  ): LoadedList | null {
    const attribute = collection.type.attributes.get(name) as LinkAttribute;
    if (isLocalizations(attribute)) return null;
    const type = this.#types[collection.number];
    const targets = links.targets.map((row, link) => this.#types[targetCollection(link)].start + row);
    const shownBy = (links as Partial<PolymorphicAdjacency>).shownBy?.slice() ?? null;
    const list = { attribute, links: { offsets: links.offsets.slice(), targets }, shownBy };
    type.lists.push(list);
    const sides = sidesOf(schema, collection.type.uid, name);
    if (sides && owning.inverse) {
      const { offsets, targets: sources } = owning.inverse.links;
      const inverse = { offsets: offsets.slice(), targets: sources.slice() };
      this.#types[owning.inverse.collection].sources.push({ inverse: sides.inverse, owner: type, links: inverse });
    }
    return list;
  }

  /** The type of a row by its number among the rows of all types. */
  #typeAt(number: number): LoadedType {
    const types = this.#types;
    return types[firstWhere(types.length, (i) => types[i].start > number) - 1];
  }

  #row(type: LoadedType, row: number): KnownRow {
    return new LoadedRow(this, type, row);
  }

  /** Returns the lists of an entry or a component and of the components in it. */
  listsOf({ uid, lists, digests }: LoadedType, row: number): OwnList[] {
    return lists.flatMap(({ attribute, links, shownBy }): OwnList[] => {
      const targets = targetsOf(links, row);
      if (targets.length === 0) return [];
      const listed = Array.from(targets, (number) => ({ number, type: this.#typeAt(number) }));
      if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        return listed.flatMap((part) => this.listsOf(part.type, part.number - part.type.start));
      }
      const found = listed.map((target, i): ListedTarget => {
        const inverse = shownBy ? inverseNameOf(target.type.definition, shownBy[links.offsets[row] + i]) : undefined;
        const id = target.type.digests.ids[target.number - target.type.start];
        return { type: target.type.uid, id, ...(inverse !== undefined && { inverse }) };
      });
      return [{ type: uid, id: digests.ids[row], attribute: attribute.name, targets: found }];
    });
  }
}

/** Reads its lists when they are asked for. */
class LoadedRow implements KnownRow {
  readonly #rows: LoadedRows;
  readonly #type: LoadedType;
  readonly #row: number;

  constructor(rows: LoadedRows, type: LoadedType, row: number) {
    this.#rows = rows;
    this.#type = type;
    this.#row = row;
  }

  get type(): string {
    return this.#type.uid;
  }

  get id(): number {
    return this.#type.digests.ids[this.#row];
  }

  get documentId(): string | null {
    return this.#type.documentId(this.#row);
  }

  get published(): boolean {
    return this.#type.isPublished(this.#row);
  }

  get digest(): number {
    return this.#type.digests.values[this.#row];
  }

  get updatedAt(): unknown {
    return this.#type.updatedAt(this.#row);
  }

  get lists(): OwnList[] {
    return this.#rows.listsOf(this.#type, this.#row);
  }

  get sources(): ReadonlyMap<string, readonly number[]> {
    const lists = this.#type.sources.map(({ inverse, owner, links }) => {
      return [inverse, Array.from(targetsOf(links, this.#row), (source) => owner.digests.ids[source])] as const;
    });
    return new Map(lists.filter(([, ids]) => ids.length > 0));
  }
}
