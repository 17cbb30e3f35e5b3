import { type Problems, quote } from '../problems.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
} from '../schema/schema.ts';
import type { StoreBuilder } from '../store/store-builder.ts';

/** The row of an entry, or of a component inside one, by uid and arrival number. */
export interface RowHandle {
  readonly uid: string;
  readonly arrival: number;
}

/** Takes the value of a relation or media attribute where it stands in an entry. */
export type ReferenceTaker = (row: RowHandle, attribute: LinkAttribute, value: unknown, place: string) => void;

/**
 * Adds entries with the components that stand inside them; a component becomes a row of its own type and a connection.
 * What relations hold is passed on to `takeReference`; without one, keys that are no scalar and no component are
 * passed over, as exports keep relations apart.
 */
export class EntryWriter {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #takeReference: ReferenceTaker | null;
  constructor(builder: StoreBuilder, problems: Problems, takeReference: ReferenceTaker | null) {
    this.#builder = builder;
    this.#problems = problems;
    this.#takeReference = takeReference;
  }

  add(type: EntryType, values: Record<string, unknown>, published: boolean, place: string): RowHandle {
    const row = { uid: type.uid, arrival: this.#builder.rows(type.uid).add(values, published, place) };
    for (const [name, value] of Object.entries(values)) {
      const attribute = type.attributes.get(name);
      if (!attribute || isScalar(attribute) || attribute.private || value === null || value === undefined) continue;
      const at = `${place}, attribute ${name}`;
      if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        this.#addComponents(row, attribute, value, at);
      } else this.#takeReference?.(row, attribute, value, at);
    }
    return row;
  }

  #addComponents(parent: RowHandle, attribute: LinkAttribute, value: unknown, place: string): void {
    if (attribute.many !== Array.isArray(value)) {
      this.#problems.add(place, `expected ${attribute.many ? 'a list' : 'one object'}, not ${quote(value)}`);
      return;
    }
    const items = attribute.many ? (value as unknown[]) : [value];
    items.forEach((item, position) => {
      const at = attribute.many ? `${place}[${position}]` : place;
      const type = this.#componentType(attribute, item, at);
      if (!type) return;
      const values = { ...(item as Record<string, unknown>) };
      delete values.__component;
      if (this.#takeReference) checkKeys(type, values, this.#problems, at);
      const row = this.add(type, values, true, at);
      const source = { ...parent, attribute: attribute.name };
      this.#builder.connect(source, row, position, 0);
    });
  }

  #componentType(attribute: LinkAttribute, item: unknown, place: string): EntryType | null {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      this.#problems.add(place, `expected an object, not ${quote(item)}`);
      return null;
    }
    if (!isPolymorphic(attribute)) return this.#builder.schema.type(attribute.target);
    const uid = (item as { __component?: unknown }).__component;
    if (attribute.components?.includes(uid as string)) return this.#builder.schema.type(uid as string);
    this.#problems.add(place, `"__component" is to be one of ${attribute.components?.join(', ')}, not ${quote(uid)}`);
    return null;
  }
}

/** Notes the keys that a person wrote and that name no attribute, or one that is derived from elsewhere. */
export function checkKeys(type: EntryType, values: Record<string, unknown>, problems: Problems, place: string): void {
  for (const name of Object.keys(values)) {
    const attribute: Attribute | undefined = type.attributes.get(name);
    if (!attribute || attribute.name === 'createdBy' || attribute.name === 'updatedBy') {
      problems.add(place, `unknown attribute ${quote(name)}`);
    } else if (!isScalar(attribute) && !attribute.owner) {
      const owner = isRelation(attribute) && attribute.inverse;
      const elsewhere = owner ? `: write it as "${owner}" of ${attribute.target}` : '';
      problems.add(place, `attribute ${quote(name)} is derived from the side that owns it${elsewhere}`);
    }
  }
}
