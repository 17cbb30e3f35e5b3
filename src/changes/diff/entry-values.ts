import { type EntryType, isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { collectionsOf, type PolymorphicAdjacency, targetsOf } from '../../store/links/adjacency.ts';
import { jsonOf } from '../../store/read-value.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { type OwningAttribute, owningAttributes } from '../../store/writer/links/owned-links.ts';
import type { EntryKey } from './differences.ts';

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
export function entryKeyOf(segment: Segment, row: number): EntryKey {
  const { collection, published } = segment;
  const documentId = storedText(segment, 'documentId', row);
  return {
    type: collection.type.uid,
    documentId,
    id: documentId === null ? (valueInRow(segment, row, 'id') as number) : null,
    locale: storedText(segment, 'locale', row),
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
  /** The attributes of each collection that own links, by its number. */
  readonly #owning: readonly (readonly OwningAttribute[])[];
  readonly #otherTypes: Schema['types'];

  /** Attributes that are private in `other` are read as if they were private. */
  constructor(store: Store, other: Store = store) {
    this.#store = store;
    this.#otherTypes = other.schema.types;
    this.#owning = store.collections.map((collection) => owningAttributes(store, collection));
  }

  /**
   * Returns the values of a row without its id. Private attributes have values only if they are relations.
   * Localizations are left out: they follow from the keys of rows.
   */
  values(segment: Segment, row: number): Map<string, AttributeValue> {
    const values = new Map<string, AttributeValue>();
    const { type, number } = segment.collection;
    const { rows, at } = jsonOf(segment, row);
    const text = new TextDecoder();
    for (const [position, name] of rows.names.entries()) {
      if (name === 'id' || this.#isHidden(type, name)) continue;
      const fragment = text.decode(rows.fragment(at, position));
      values.set(name, { kind: 'scalar', json: fragment.slice(fragment.indexOf(':') + 1) });
    }
    for (const owning of this.#owning[number]) {
      const attribute = type.attributes.get(owning.name)!;
      if (isScalar(attribute) || !attribute.owner) continue;
      const isPrivate = attribute.private || this.#isHidden(type, attribute.name);
      const isComponent = attribute.kind === 'component' || attribute.kind === 'dynamiczone';
      if (!isComponent) values.set(attribute.name, this.#relation(owning, attribute, row, isPrivate));
      else if (!isPrivate) values.set(attribute.name, this.#components(owning, attribute, row));
    }
    return values;
  }

  #relation(owning: OwningAttribute, { many }: LinkAttribute, row: number, isPrivate: boolean): AttributeValue {
    return { kind: 'relation', many, isPrivate, targets: this.#targets(owning, row, entryKeyOf) };
  }

  #components(owning: OwningAttribute, attribute: LinkAttribute, row: number): AttributeValue {
    const isTagged = isPolymorphic(attribute);
    const items = this.#targets(owning, row, (segment, target) => {
      return { uid: segment.collection.type.uid, isTagged, values: this.values(segment, target) };
    });
    return { kind: 'components', many: attribute.many, items };
  }

  #targets<Value>(
    { links, inverse }: OwningAttribute,
    row: number,
    read: (segment: Segment, row: number) => Value,
  ): Value[] {
    const collections = inverse ? null : collectionsOf(links as PolymorphicAdjacency, row);
    return Array.from(targetsOf(links, row), (target, i) =>
      read(this.#store.segments[collections ? collections[i] : inverse!.collection], target),
    );
  }

  #isHidden({ uid }: EntryType, name: string): boolean {
    return this.#otherTypes.get(uid)?.attributes.get(name)?.private === true;
  }
}

/** Null without the column: the attribute is private, or the type has none of the name. */
function storedText(segment: Segment, name: string, row: number): string | null {
  return segment.collection.columns.has(name) ? (valueInRow(segment, row, name) as string | null) : null;
}

function valueInRow(segment: Segment, row: number, name: string): unknown {
  const { rows, at } = jsonOf(segment, row);
  return rows.value(at, name);
}
