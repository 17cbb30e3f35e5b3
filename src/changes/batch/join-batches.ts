/** Makes one batch of several batches, each of which was made for the result of the one before. */
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type EntryType, isPolymorphic, isScalar, type Schema } from '../../model/schema/schema.ts';
import { nextId, rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { type Batch, type BatchEntity, type BatchLinks, readBatchInSteps } from './batch.ts';
import {
  areSameLinks,
  componentAttributes,
  relationAttributes,
  storedComponents,
  storedLinks,
} from './stored-links.ts';

/**
 * Returns one batch that leads from the store before some batches to the content after them, or null if there is none: they
 * delete an entry and write it again, which then has none of its earlier links. Mistakes in the batches stay in the result.
 */
export function* joinBatchesInSteps(before: Store, batches: readonly Batch[]): Steps<Batch | null> {
  if (batches.length === 1) return batches[0];
  const joined = new JoinedBatches(before);
  for (const batch of batches) if (!(yield* joined.addInSteps(batch))) return null;
  return yield* joined.finishInSteps();
}

/**
 * Returns `joinBatchesInSteps` of batches that were not validated, as of a log. Throws a SnapshotError for a batch whose form
 * is wrong.
 */
export function* joinGivenInSteps(
  { store, tolerance }: Pick<LoadedSnapshot, 'store' | 'tolerance'>,
  given: readonly unknown[],
): Steps<Batch | null> {
  const problems = new Problems(tolerance, 'batch');
  const batches: Batch[] = [];
  for (const value of given) {
    const batch = yield* readBatchInSteps(value, problems);
    if (!batch) problems.throwIfAny();
    batches.push(batch!);
  }
  return yield* joinBatchesInSteps(store, batches);
}

/** An entry or a component. */
interface Row {
  readonly type: string;
  readonly id: number;
}

class JoinedBatches {
  readonly #before: Store;
  /** By key, in the order of the last changes. */
  readonly #entities = new Map<string, BatchEntity>();
  /** The components of each of these entries, by their keys. */
  readonly #components = new Map<string, ReadonlyMap<string, Row>>();
  /** The lists of the batches, by key of the row and attribute. None leads to a deleted entry. */
  readonly #lists = new Map<string, Map<string, BatchLinks>>();
  /** Components that a batch has removed. */
  readonly #removed = new Set<string>();
  /** Components that a batch has removed and a later one has added again: they have none of their earlier links. */
  readonly #added = new Map<string, Row>();

  constructor(before: Store) {
    this.#before = before;
  }

  /** Returns false if the batch cannot be joined. */
  *addInSteps({ entities, links }: Batch): Steps<boolean> {
    const had = new Set<string>();
    const has = new Map<string, Row>();
    const deleted = new Set<string>();
    for (const entity of entities) {
      yield;
      const key = keyOf(entity);
      if (entity.data === null) deleted.add(key);
      else if (this.#entities.get(key)?.data === null) return false;
      for (const name of this.#componentsBefore(entity).keys()) had.add(name);
      const components = this.#componentsAfter(entity);
      for (const [name, component] of components) has.set(name, component);
      this.#components.set(key, components);
      // in the order of the last changes
      this.#entities.delete(key);
      this.#entities.set(key, entity);
    }
    for (const [key, component] of has) if (this.#removed.delete(key)) this.#added.set(key, component);
    for (const key of had) {
      if (has.has(key)) continue;
      this.#removed.add(key);
      this.#added.delete(key);
      this.#lists.delete(key);
    }
    if (deleted.size > 0) yield* this.#unlinkInSteps(deleted);
    for (const list of links) {
      this.#setList(list);
      yield;
    }
    return true;
  }

  *finishInSteps(): Steps<Batch> {
    const before = this.#before;
    for (const { type, id } of this.#added.values()) {
      for (const { name } of relationAttributes(before.schema, before.schema.type(type))) {
        if (!this.#lists.get(keyOf({ type, id }))?.has(name)) this.#setList({ type, id, attribute: name, targets: [] });
      }
    }
    const links: BatchLinks[] = [];
    for (const lists of this.#lists.values()) {
      for (const list of lists.values()) if (!this.#isStored(list)) links.push(list);
      yield;
    }
    const all = Array.from(this.#entities.values());
    const entities = all.filter((entity) => entity.data !== null || rowOf(before, entity) !== undefined);
    return { entities, links };
  }

  #componentsBefore(entity: BatchEntity): ReadonlyMap<string, Row> {
    const known = this.#components.get(keyOf(entity));
    const row = known ? undefined : rowOf(this.#before, entity);
    if (row === undefined) return known ?? new Map();
    const type = this.#before.schema.type(entity.type);
    return new Map(Array.from(storedComponents(this.#before, type, row), (each) => [keyOf(each), each]));
  }

  #componentsAfter({ type: uid, data }: BatchEntity): ReadonlyMap<string, Row> {
    const components = new Map<string, Row>();
    const { schema } = this.#before;
    const add = (type: EntryType, of: Data): Data =>
      replaceComponents(schema, type, of, (component, componentType) => {
        const row = { type: componentType.uid, id: component.id as number };
        components.set(keyOf(row), row);
        return add(componentType, component);
      });
    const type = schema.types.get(uid);
    if (type && data) add(type, data);
    return components;
  }

  #setList(list: BatchLinks): void {
    mapAt(this.#lists, keyOf(list), () => new Map()).set(list.attribute, list);
  }

  /** Removes the lists of entries, and the links to them. */
  *#unlinkInSteps(deleted: ReadonlySet<string>): Steps<void> {
    for (const key of deleted) this.#lists.delete(key);
    for (const lists of this.#lists.values()) {
      for (const list of lists.values()) {
        const targets = list.targets.filter((target) => !deleted.has(keyOf(target)));
        if (targets.length < list.targets.length) lists.set(list.attribute, { ...list, targets });
      }
      yield;
    }
  }

  #isStored({ type: uid, id, attribute: name, targets }: BatchLinks): boolean {
    const type = this.#before.schema.types.get(uid);
    const attribute = type?.attributes.get(name);
    if (!type || !attribute || isScalar(attribute)) return false;
    const row = rowOf(this.#before, { type: uid, id });
    return areSameLinks(row === undefined ? [] : storedLinks(this.#before, type, attribute, row), targets);
  }
}

function keyOf({ type, id }: Row): string {
  return `${type} ${id}`;
}

function rowOf(store: Store, { type, id }: Row): number | undefined {
  return store.schema.types.has(type) ? rowOfId(segmentOf(store, type), id) : undefined;
}

/**
 * Returns a batch in which the components that the store lacks have ordinary ids in place of those from `first` on:
 * ids that follow the greatest of their type.
 */
export function withOrdinaryIds({ entities, links }: Batch, store: Store, first: number): Batch {
  const ids = new OrdinaryIds(store, first);
  for (const { type, data } of entities) if (data) ids.note(store.schema.type(type), data);
  return {
    entities: entities.map((entity) => {
      return entity.data ? { ...entity, data: ids.replaceIn(store.schema.type(entity.type), entity.data) } : entity;
    }),
    links: links.map((list) => ({ ...list, id: ids.of(list.type, list.id) })),
  };
}

type Data = Readonly<Record<string, unknown>>;

class OrdinaryIds {
  readonly #store: Store;
  readonly #first: number;
  /** The next ordinary id of each type of components. */
  readonly #next = new Map<string, number>();
  readonly #replaced = new Map<string, number>();

  constructor(store: Store, first: number) {
    this.#store = store;
    this.#first = first;
  }

  /** Notes the ordinary ids of components, which are not given again. To be called for all data before `replaceIn`. */
  note(type: EntryType, data: Data): void {
    replaceComponents(this.#store.schema, type, data, (component, { uid }) => {
      const { id } = component;
      if (!this.#isReplaced(uid, id as number)) this.#next.set(uid, Math.max(this.#nextOf(uid), (id as number) + 1));
      this.note(this.#store.schema.type(uid), component);
      return component;
    });
  }

  replaceIn(type: EntryType, data: Data): Data {
    return replaceComponents(this.#store.schema, type, data, (component, componentType) => ({
      ...this.replaceIn(componentType, component),
      id: this.of(componentType.uid, component.id as number),
    }));
  }

  of(uid: string, id: number): number {
    if (!this.#isReplaced(uid, id)) return id;
    const key = `${uid} ${id}`;
    const known = this.#replaced.get(key);
    if (known !== undefined) return known;
    const next = this.#nextOf(uid);
    this.#next.set(uid, next + 1);
    this.#replaced.set(key, next);
    return next;
  }

  #isReplaced(uid: string, id: number): boolean {
    const isComponent = this.#store.schema.type(uid).kind === 'component';
    return isComponent && id >= this.#first && rowOf(this.#store, { type: uid, id }) === undefined;
  }

  #nextOf(uid: string): number {
    return this.#next.get(uid) ?? nextId(segmentOf(this.#store, uid));
  }
}

/** Returns data with each of its components replaced. Components of unknown types stay as they are. */
function replaceComponents(
  schema: Schema,
  type: EntryType,
  data: Data,
  replace: (component: Data, type: EntryType) => Data,
): Data {
  let replaced = data;
  for (const attribute of componentAttributes(schema, type)) {
    const value = data[attribute.name];
    const replaceOne = (item: unknown) => {
      if (!isPlainObject(item)) return item;
      const of = schema.types.get(isPolymorphic(attribute) ? (item.__component as string) : attribute.target);
      return of ? replace(item, of) : item;
    };
    if (isPlainObject(value)) replaced = { ...replaced, [attribute.name]: replaceOne(value) };
    else if (Array.isArray(value)) replaced = { ...replaced, [attribute.name]: value.map(replaceOne) };
  }
  return replaced;
}
