import type { Batch, BatchEntity, BatchLinks, LinkTarget } from '../../../changes/batch/batch.ts';
import { isPolymorphic, type LinkAttribute } from '../../../model/schema/schema.ts';
import type { FetchedRows } from './known-rows.ts';
import { inPlaceOrder, placesIn, type RelationSides, sidesOf } from './relation-sides.ts';
import {
  addressKey,
  isSameList,
  isSameRow,
  type KnownRow,
  knownRowOf,
  type ListedTarget,
  listKey,
  type OwnList,
  type RowAddress,
  type SourceRow,
  withLinks,
} from './source-row.ts';

/** An own list that differs in its targets or in a position. */
interface ChangedList extends OwnList {
  /** The type of the entry that has the list, itself or in a component. */
  readonly holder: string;
}

/** The list of one inverse attribute of a row. */
interface InverseList {
  readonly target: RowAddress;
  readonly sides: RelationSides;
  /** Rows that link to the target now, and did not before. */
  readonly added: Set<number>;
}

/**
 * Returns the batch that leads from the known rows to the fetched rows, and replaces the known rows with the fetched rows.
 * Own lists decide which links exist. Inverse lists only order them.
 */
export function batchOfRows(rows: FetchedRows): Batch {
  return new RowBatch(rows).finish();
}

class RowBatch {
  readonly #rows: FetchedRows;
  readonly #entities: BatchEntity[] = [];
  /** The fetched rows, as known rows after the batch. */
  readonly #states: KnownRow[] = [];
  /** By key. */
  readonly #lists = new Map<string, ChangedList>();
  readonly #inverse = new Map<string, InverseList>();
  /** By key: the ids of the sources of an inverse list that has changed, in order. */
  readonly #sources = new Map<string, readonly number[]>();
  readonly #places = new Map<string, ReadonlyMap<number, number>>();

  constructor(rows: FetchedRows) {
    this.#rows = rows;
  }

  finish(): Batch {
    for (const { address, row } of this.#rows.all) {
      const before = this.#rows.known.get(address.type, address.id);
      if (row) this.#addRow(row, before);
      else if (before) this.#deleteRow(before);
    }
    this.#shortenLists();
    for (const [key, list] of this.#inverse) this.#order(key, list);
    const links = Array.from(this.#lists.values(), (list) => this.#linksOf(list));
    this.#updateKnown();
    return { entities: this.#entities, links };
  }

  #addRow(row: SourceRow, before: KnownRow | undefined): void {
    const { type, id, data } = row;
    const beforeByKey = new Map((before?.lists ?? []).map((list) => [listKey(list), list.targets]));
    const targetsBefore = (list: OwnList) => beforeByKey.get(listKey(list)) ?? [];
    const lists = row.lists.map((list) => {
      return { ...list, targets: this.#existing(type, this.#withInverseOf(targetsBefore(list), list)) };
    });
    const state = knownRowOf({ ...row, lists: lists.filter(({ targets }) => targets.length > 0) });
    this.#states.push(state);
    if (state.digest !== before?.digest) this.#entities.push({ type, id, data });
    for (const list of lists) {
      const old = targetsBefore(list);
      if (isSameList(list.targets, old)) continue;
      this.#lists.set(listKey(list), { ...list, holder: type });
      this.#noteInverse(list, old, list.targets);
    }
    for (const [inverse, sources] of row.sources) {
      const old = before?.sources.get(inverse) ?? [];
      if (sources.length === old.length && sources.every((source, i) => source === old[i])) continue;
      const attribute = this.#rows.schema.type(type).attributes.get(inverse) as { target: string; inverse: string };
      const sides = sidesOf(this.#rows.schema, attribute.target, attribute.inverse);
      if (sides) this.#inverseList(row, sides);
    }
  }

  /**
   * Keeps the inverse attribute of each link to a document that `old`, the known targets, link to as well. Only polymorphic
   * lists name inverse attributes.
   */
  #withInverseOf(old: OwnList['targets'], list: OwnList): OwnList {
    if (list.targets.every(({ inverse }) => !inverse)) return list;
    const documentOf = (target: RowAddress) => `${target.type} ${this.#rows.lastSeen(target)?.documentId}`;
    const inverse = new Map(old.map((target) => [documentOf(target), target.inverse]));
    const targets = list.targets.map((target) => ({
      ...target,
      inverse: inverse.get(documentOf(target)) ?? target.inverse,
    }));
    return { ...list, targets };
  }

  #deleteRow({ type, id, lists }: KnownRow): void {
    this.#entities.push({ type, id, data: null });
    for (const list of lists) this.#noteInverse(list, list.targets, []);
  }

  /** Removes deleted rows from the lists of rows that were not fetched. */
  #shortenLists(): void {
    const { known } = this.#rows;
    const gone = this.#entities.filter(({ data }) => data === null);
    const deleted = new Set(gone.map(addressKey));
    const isKept = (target: RowAddress) => !deleted.has(addressKey(target));
    const linking = gone.flatMap((entity) => known.linkingTo(entity));
    for (const row of new Map(linking.map((row) => [addressKey(row), row])).values()) {
      if (this.#rows.get(row)) continue;
      const lists = row.lists.map((list) => {
        const kept = list.targets.filter(isKept);
        const targets = this.#existing(row.type, { ...list, targets: kept });
        // the batch deletes the links, but other links may move
        const isMoved = kept.length < list.targets.length && kept.some(({ inverse }) => inverse !== undefined);
        if (isMoved || !isSameList(targets, kept)) {
          this.#lists.set(listKey(list), { ...list, targets, holder: row.type });
        }
        return { ...list, targets };
      });
      known.set(withLinks(row, { lists: lists.filter(({ targets }) => targets.length > 0) }));
    }
  }

  /** Collects the inverse lists of the old and new targets of a list. */
  #noteInverse({ type, id, attribute }: OwnList, old: OwnList['targets'], targets: OwnList['targets']): void {
    const sides = sidesOf(this.#rows.schema, type, attribute);
    if (!sides) return;
    for (const target of old) this.#inverseList(target, sides);
    for (const target of targets) {
      const list = this.#inverseList(target, sides);
      if (!old.some((one) => isSameRow(one, target))) list.added.add(id);
    }
  }

  #inverseList({ type, id }: RowAddress, sides: RelationSides): InverseList {
    const key = inverseKey({ type, id }, sides);
    let list = this.#inverse.get(key);
    if (!list) this.#inverse.set(key, (list = { target: { type, id }, sides, added: new Set() }));
    return list;
  }

  /** Orders an inverse list, and adds the own lists in which it changes a position. */
  #order(key: string, { target, sides, added }: InverseList): void {
    const latest = this.#rows.latest(target);
    if (!latest) return;
    const { owner: type, attribute, inverse } = sides;
    const listed = latest.sources.get(inverse) ?? [];
    const missing = Array.from(added).filter((id) => !listed.includes(id));
    const present = [...listed, ...missing.sort((a, b) => a - b)].filter((id) =>
      this.#rows.links({ type, id }, attribute, target),
    );
    const isPublished = (id: number) => this.#isPublished({ type, id });
    const items = present.map((id) => ({ id }));
    const sources = inPlaceOrder(this.#rows.schema, target.type, items, isPublished).map(({ id }) => id);
    this.#sources.set(key, sources);
    const before = this.#rows.known.get(target.type, target.id)?.sources.get(inverse) ?? [];
    const old = this.#placesIn(target.type, type, before);
    for (const [id, place] of this.#placesIn(target.type, type, sources)) {
      const list = { type, id, attribute };
      if (old.get(id) === place || this.#lists.has(listKey(list))) continue;
      const targets = this.#existing(type, { ...list, targets: this.#rows.targetsOf({ type, id }, attribute) });
      this.#lists.set(listKey(list), { ...list, targets, holder: type });
    }
  }

  /**
   * Returns the targets of a list that exist, in order. A row with a target that was not found is read again. `holder`:
   * as in `ChangedList`.
   */
  #existing(holder: string, { targets }: OwnList): readonly ListedTarget[] {
    const existing = targets.filter((target) => this.#rows.latest(target));
    const [first] = existing;
    if (!first || existing.some((one) => one.type !== first.type)) return existing;
    return inPlaceOrder(this.#rows.schema, holder, existing, (id) => this.#isPublished({ type: first.type, id }));
  }

  #isPublished({ type, id }: RowAddress): boolean {
    return this.#rows.lastSeen({ type, id })?.published ?? true;
  }

  #linksOf({ type, id, attribute: name, targets, holder }: ChangedList): BatchLinks {
    const { schema } = this.#rows;
    const attribute = schema.type(type).attributes.get(name) as LinkAttribute;
    const sides = sidesOf(schema, type, name);
    const targetType = new Map(targets.map((target) => [target.id, target.type]));
    const isPublished = (one: number) => this.#isPublished({ type: targetType.get(one)!, id: one });
    const ids = targets.map((target) => target.id);
    const places = isPolymorphic(attribute) ? ids.map((_, i) => i + 1) : placesIn(schema, holder, ids, isPublished);
    return {
      type,
      id,
      attribute: name,
      targets: targets.map((target, i): LinkTarget => {
        const inversePosition = sides
          ? (this.#placesOf(target, sides).get(id) ?? 0)
          : isPolymorphic(attribute)
            ? places[i]
            : 0;
        return { ...target, position: places[i], inversePosition };
      }),
    };
  }

  /** The position of each source in an inverse list. */
  #placesOf(target: RowAddress, sides: RelationSides): ReadonlyMap<number, number> {
    const key = inverseKey(target, sides);
    let places = this.#places.get(key);
    if (!places) {
      const sources = this.#sources.get(key) ?? this.#rows.latest(target)?.sources.get(sides.inverse) ?? [];
      this.#places.set(key, (places = this.#placesIn(target.type, sides.owner, sources)));
    }
    return places;
  }

  #placesIn(holder: string, type: string, ids: readonly number[]): ReadonlyMap<number, number> {
    const places = placesIn(this.#rows.schema, holder, ids, (id) => this.#isPublished({ type, id }));
    return new Map(ids.map((id, i) => [id, places[i]]));
  }

  #updateKnown(): void {
    const { known } = this.#rows;
    for (const { address, row } of this.#rows.all) if (!row) known.delete(address);
    for (const state of this.#states) known.set(state);
    for (const [key, { target, sides }] of this.#inverse) {
      const row = known.get(target.type, target.id);
      const sources = this.#sources.get(key);
      if (row && sources) known.set(withLinks(row, { sources: new Map(row.sources).set(sides.inverse, sources) }));
    }
  }
}

function inverseKey(target: RowAddress, { owner, attribute }: RelationSides): string {
  return `${addressKey(target)} ${owner} ${attribute}`;
}
