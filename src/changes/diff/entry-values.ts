import { isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import type { OwnedLinks } from '../../store/writer/links/owned-links.ts';
import type { EntryKey } from './differences.ts';
import type { LinkedStore } from './equal-rows.ts';

/** The value of an attribute, without ids of rows where a documentId or a position identifies them. */
export type AttributeValue = ScalarValue | RelationValue | ComponentsValue;

interface ScalarValue {
  readonly kind: 'scalar';
  /** As replies show it. */
  readonly json: string;
}

export interface RelationValue {
  readonly kind: 'relation';
  readonly many: boolean;
  readonly isPrivate: boolean;
  readonly targets: readonly EntryKey[];
}

interface ComponentsValue {
  readonly kind: 'components';
  readonly many: boolean;
  readonly items: readonly ComponentValue[];
}

export interface ComponentValue {
  readonly uid: string;
  /** Whether the items of the attribute are of several types. */
  readonly isTagged: boolean;
  readonly values: AttributeValues;
}

export type AttributeValues = ReadonlyMap<string, AttributeValue>;

/** The key of a row among all rows of its type. */
export function entryKeyOf(collection: Collection, row: number): EntryKey {
  const { type, published } = collection;
  const documentId = storedText(collection, 'documentId', row);
  return {
    type: type.uid,
    documentId,
    id: documentId === null ? (collection.jsonRows.value(row, 'id') as number) : null,
    locale: storedText(collection, 'locale', row),
    status: published && (published.has(row) ? 'published' : 'draft'),
  };
}

/** Returns the key as text. Entries of a type without drafts count as published. */
export function keyName({ documentId, id, locale, status }: EntryKey): string {
  return JSON.stringify([documentId, id, locale, status ?? 'published']);
}

/** Reads the values of single rows. */
export class EntryReader {
  readonly #store: Store;
  /** The links of each collection. */
  readonly #links: readonly (readonly OwnedLinks[])[];

  readonly #otherTypes: Schema['types'];

  /** Attributes that are private in `other` are read as if they were private. */
  constructor({ store, links }: LinkedStore, other: Store) {
    this.#store = store;
    this.#otherTypes = other.schema.types;
    this.#links = store.collections.map((collection) => links.filter((owned) => owned.collection === collection));
  }

  /**
   * Returns the values of a row without its id. Private attributes have values only if they are relations.
   * Localizations are left out: they follow from the keys of rows.
   */
  values(collection: Collection, row: number): Map<string, AttributeValue> {
    const values = new Map<string, AttributeValue>();
    const { jsonRows } = collection;
    const text = new TextDecoder();
    for (const [position, name] of jsonRows.names.entries()) {
      if (name === 'id' || this.#isHidden(collection, name)) continue;
      const fragment = text.decode(jsonRows.fragment(row, position));
      values.set(name, { kind: 'scalar', json: fragment.slice(fragment.indexOf(':') + 1) });
    }
    for (const owned of this.#links[collection.number]) {
      const attribute = collection.type.attributes.get(owned.attribute)!;
      if (isScalar(attribute) || !attribute.owner) continue;
      const isPrivate = attribute.private || this.#isHidden(collection, attribute.name);
      const isComponent = attribute.kind === 'component' || attribute.kind === 'dynamiczone';
      if (!isComponent) values.set(attribute.name, this.#relation(owned, attribute, row, isPrivate));
      else if (!isPrivate) values.set(attribute.name, this.#components(owned, attribute, row));
    }
    return values;
  }

  #relation(owned: OwnedLinks, { many }: LinkAttribute, row: number, isPrivate: boolean): AttributeValue {
    return { kind: 'relation', many, isPrivate, targets: this.#targets(owned, row, entryKeyOf) };
  }

  #components(owned: OwnedLinks, attribute: LinkAttribute, row: number): AttributeValue {
    const isTagged = isPolymorphic(attribute);
    const items = this.#targets(owned, row, (component, target) => {
      return { uid: component.type.uid, isTagged, values: this.values(component, target) };
    });
    return { kind: 'components', many: attribute.many, items };
  }

  #targets<Value>(owned: OwnedLinks, row: number, read: (collection: Collection, row: number) => Value): Value[] {
    const { offsets, targets } = owned.links;
    const start = offsets[row];
    return Array.from(targets.subarray(start, offsets[row + 1]), (target, i) =>
      read(this.#store.collections[owned.targetCollection(start + i)], target),
    );
  }

  #isHidden({ type }: Collection, name: string): boolean {
    return this.#otherTypes.get(type.uid)?.attributes.get(name)?.private === true;
  }
}

/** Null without the column: the attribute is private, or the type has none of the name. */
function storedText({ columns, jsonRows }: Collection, name: string, row: number): string | null {
  return columns.has(name) ? (jsonRows.value(row, name) as string | null) : null;
}
