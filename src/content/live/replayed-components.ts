/** The ids of components that a journal's changes have made, when the changes are made again to another snapshot. */
import type { Batch } from '../../changes/batch/batch.ts';
import { componentAttributes } from '../../changes/batch/stored-links.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import { type EntryType, isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';

type Values = Readonly<Record<string, unknown>>;

/** The ids of components by their type. */
export type ComponentIds = Record<string, number[]>;

/** Returns the components of a batch that the store before it does not have. */
export function* madeComponentsInSteps(store: Store, { entities }: Batch): Steps<ComponentIds> {
  const made: ComponentIds = {};
  for (const { type, data } of entities) {
    yield;
    for (const [uid, id] of componentsIn(store.schema, type, data)) {
      if (rowOfId(segmentOf(store, uid), id) === undefined) (made[uid] ??= []).push(id);
    }
  }
  return made;
}

function* componentsIn(
  schema: Schema,
  uid: string,
  data: Values | null,
): Generator<[uid: string, id: number, item: Values]> {
  const type = schema.types.get(uid);
  if (!type || !data) return;
  for (const attribute of componentAttributes(schema, type)) {
    for (const item of [data[attribute.name] ?? []].flat()) {
      if (!isPlainObject(item)) continue;
      const component = String(isPolymorphic(attribute) ? item.__component : attribute.target);
      yield [component, Number(item.id), item];
      yield* componentsIn(schema, component, item);
    }
  }
}

interface NamedComponent {
  readonly id: number;
  /** As JSON, without ids. */
  readonly values: string;
}

/** A change names a component whose id here is not known. */
export class UnknownComponent extends Error {}

/** Rewrites the ids of components in changes that are made again, since later changes name those that earlier ones made. */
export class ReplayedComponents {
  readonly #schema: Schema;
  /** By type and id as in the journal: the id here, or null if it is not known. */
  readonly #ids = new Map<string, number | null>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Notes what a batch has made before, and what was made here: batches, each with the store before it. */
  note(before: Batch, made: ComponentIds, here: readonly { readonly here: Batch; readonly store: Store }[]): void {
    const known = new Map(Object.entries(made).map(([uid, ids]) => [uid, new Set(ids)]));
    const fresh = new Map<string, Map<string, NamedComponent[]>>();
    for (const { here: batch, store } of here) {
      for (const entity of batch.entities) {
        const isNew = (uid: string, id: number) => rowOfId(segmentOf(store, uid), id) === undefined;
        fresh.set(keyOf(entity), this.#byType(entity, isNew));
      }
    }
    for (const entity of before.entities) {
      const old = this.#byType(entity, (uid, id) => known.get(uid)?.has(id) === true);
      const found = fresh.get(keyOf(entity));
      for (const [uid, components] of old) {
        const others = found?.get(uid) ?? [];
        for (const [i, { id, values }] of components.entries()) {
          // of another number, or in another order, nobody knows which is which
          const isSame = others.length === components.length && others[i].values === values;
          this.#ids.set(`${uid} ${id}`, isSame ? others[i].id : null);
        }
      }
    }
  }

  /** Returns those components of an entity that a function accepts, by type. */
  #byType(
    { type, data }: Batch['entities'][number],
    accepts: (uid: string, id: number) => boolean,
  ): Map<string, NamedComponent[]> {
    const found = new Map<string, NamedComponent[]>();
    for (const [uid, id, item] of componentsIn(this.#schema, type, data)) {
      if (!accepts(uid, id)) continue;
      const values = JSON.stringify(item, (key, value) => (key === 'id' ? undefined : value));
      mapAt(found, uid, () => []).push({ id, values });
    }
    return found;
  }

  /** Returns a change with the ids of here. Throws an UnknownComponent. */
  rewritten(change: unknown): unknown {
    if (!isPlainObject(change) || this.#ids.size === 0) return change;
    const type = this.#schema.types.get(String(change.upsert ?? change.patch));
    if (!type) return change;
    if ('upsert' in change)
      return isPlainObject(change.entry) ? { ...change, entry: this.#values(type, change.entry) } : change;
    return this.#patch(type, change);
  }

  /** Returns an upsert without the ids of its entry and its components. Null if it has none, and for other changes. */
  withoutIds(change: unknown): unknown {
    if (!isPlainObject(change) || !isPlainObject(change.entry)) return null;
    const type = this.#schema.types.get(String(change.upsert));
    if (!type) return null;
    const { id, ...entry } = change.entry;
    const without = this.#values(type, entry, true);
    return JSON.stringify(without) === JSON.stringify(change.entry) ? null : { ...change, entry: without };
  }

  /** Rewrites the components of an entry or component. One whose id is not known becomes a new one. */
  #values(type: EntryType, values: Values, dropsIds = false): Values {
    const rewritten: Record<string, unknown> = { ...values };
    for (const attribute of componentAttributes(this.#schema, type)) {
      if (Object.hasOwn(values, attribute.name))
        rewritten[attribute.name] = this.#value(attribute, values[attribute.name], dropsIds);
    }
    return rewritten;
  }

  #value(attribute: LinkAttribute, value: unknown, dropsIds = false): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(attribute, item, dropsIds));
    if (!isPlainObject(value)) return value;
    const uid = String(isPolymorphic(attribute) ? value.__component : attribute.target);
    const type = this.#schema.types.get(uid);
    const { id, ...values } = value;
    const found = this.#ids.get(`${uid} ${id}`);
    const given = dropsIds ? undefined : found === undefined ? id : (found ?? undefined);
    return { ...(given !== undefined && { id: given }), ...(type ? this.#values(type, values, dropsIds) : values) };
  }

  #patch(type: EntryType, patch: Values): Values {
    const by = (name: string, map: (attribute: LinkAttribute, item: unknown) => unknown) => {
      const given = patch[name];
      if (!isPlainObject(given)) return {};
      const entries = Object.entries(given).map(([key, value]) => {
        const attribute = type.attributes.get(key);
        const isComponent =
          attribute && !isScalar(attribute) && componentAttributes(this.#schema, type).includes(attribute);
        if (!isComponent) return [key, value];
        return [key, Array.isArray(value) ? value.map((item) => map(attribute, item)) : map(attribute, value)];
      });
      return { [name]: Object.fromEntries(entries) };
    };
    return {
      ...patch,
      ...by('set', (attribute, item) => this.#value(attribute, item)),
      ...by('remove', (attribute, key) => this.#key(attribute, key)),
      ...by('move', (attribute, item) => this.#placed(attribute, this.#key(attribute, item))),
      ...by('add', (attribute, item) => {
        if (!isPlainObject(item)) return item;
        return this.#placed(attribute, { ...item, component: this.#value(attribute, item.component) });
      }),
      ...by('components', (attribute, item) => {
        const named = this.#key(attribute, item) as Values;
        const target = this.#typesOf(attribute, named).map((uid) => this.#schema.types.get(uid));
        return isPlainObject(named) && target.length === 1 && target[0] ? this.#patch(target[0], named) : named;
      }),
    };
  }

  #placed(attribute: LinkAttribute, item: unknown): unknown {
    if (!isPlainObject(item) || !isPlainObject(item.position)) return item;
    const position = Object.entries(item.position).map(([side, key]) => [side, this.#key(attribute, key)]);
    return { ...item, position: Object.fromEntries(position) };
  }

  /** Rewrites what names a component: an id, or an object with it. */
  #key(attribute: LinkAttribute, key: unknown): unknown {
    const id = isPlainObject(key) ? key.id : key;
    if (typeof id !== 'number') return key;
    const found = this.#typesOf(attribute, key).flatMap((uid) => {
      const here = this.#ids.get(`${uid} ${id}`);
      return here === undefined ? [] : [here];
    });
    if (found.length === 0) return key;
    const [here] = found;
    if (found.length > 1 || here === null) {
      throw new UnknownComponent(`${attribute.name}: the component ${id} was made by a change that makes others here`);
    }
    return isPlainObject(key) ? { ...key, id: here } : here;
  }

  #typesOf(attribute: LinkAttribute, key: unknown): readonly string[] {
    if (!isPolymorphic(attribute)) return [attribute.target];
    return isPlainObject(key) && typeof key.__component === 'string' ? [key.__component] : (attribute.components ?? []);
  }
}

/** Names an entry of a batch whatever its id. */
function keyOf({ type, data, published }: Batch['entities'][number]): string {
  return JSON.stringify([
    type,
    data?.documentId,
    data?.locale ?? null,
    published ?? (data?.publishedAt ?? null) !== null,
  ]);
}
