/** Makes one batch of the batches of several lists of changes, each of which was made for the result of the one before. */
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import { type EntryType, isPolymorphic, type Schema } from '../../model/schema/schema.ts';
import { nextId, rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { Batch, BatchEntity, BatchLinks } from './batch.ts';
import {
  areSameLinks,
  componentAttributes,
  relationAttributes,
  storedComponents,
  storedLinks,
} from './stored-links.ts';

/** Returns one batch that leads from the store before some batches to the store after them. */
export function* joinBatchesInSteps(before: Store, after: Store, batches: readonly Batch[]): Steps<Batch> {
  if (batches.length === 1) return batches[0];
  const last = new Map<string, BatchEntity>();
  for (const { entities } of batches) {
    for (const entity of entities) {
      const key = `${entity.type} ${entity.id}`;
      // in the order of the last changes
      last.delete(key);
      last.set(key, entity);
      yield;
    }
  }
  const entities = [...last.values()].filter(({ type, id, data }) => data !== null || hasRow(before, type, id));
  const links: BatchLinks[] = [];
  for (const { type, id, data } of entities) {
    if (data === null) continue;
    links.push(...changedLinks(before, after, after.schema.type(type), id));
    yield;
  }
  return { entities, links };
}

function hasRow(store: Store, uid: string, id: number): boolean {
  return rowOfId(segmentOf(store, uid), id) !== undefined;
}

/** Returns the lists of links of an entry and its components that differ between the stores. */
function changedLinks(before: Store, after: Store, type: EntryType, id: number): BatchLinks[] {
  const row = rowOfId(segmentOf(after, type.uid), id)!;
  const nodes = [{ type: type.uid, id }, ...storedComponents(after, type, row)];
  return nodes.flatMap((node) => {
    const nodeType = after.schema.type(node.type);
    const linksIn = (store: Store, attribute: ReturnType<typeof relationAttributes>[number]) => {
      const at = rowOfId(segmentOf(store, node.type), node.id);
      return at === undefined ? [] : storedLinks(store, nodeType, attribute, at);
    };
    return relationAttributes(after.schema, nodeType).flatMap((attribute) => {
      const targets = linksIn(after, attribute);
      if (areSameLinks(linksIn(before, attribute), targets)) return [];
      return { type: node.type, id: node.id, attribute: attribute.name, targets };
    });
  });
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
    eachComponent(this.#store.schema, type, data, (component, { uid }) => {
      const { id } = component;
      if (!this.#isReplaced(uid, id as number)) this.#next.set(uid, Math.max(this.#nextOf(uid), (id as number) + 1));
      this.note(this.#store.schema.type(uid), component);
      return component;
    });
  }

  replaceIn(type: EntryType, data: Data): Data {
    return eachComponent(this.#store.schema, type, data, (component, componentType) => ({
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
    return isComponent && id >= this.#first && !hasRow(this.#store, uid, id);
  }

  #nextOf(uid: string): number {
    return this.#next.get(uid) ?? nextId(segmentOf(this.#store, uid));
  }
}

/** Returns data with each of its components replaced. */
function eachComponent(
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
      const uid = isPolymorphic(attribute) ? (item.__component as string) : attribute.target;
      return replace(item, schema.type(uid));
    };
    if (isPlainObject(value)) replaced = { ...replaced, [attribute.name]: replaceOne(value) };
    else if (Array.isArray(value)) replaced = { ...replaced, [attribute.name]: value.map(replaceOne) };
  }
  return replaced;
}
