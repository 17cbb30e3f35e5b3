import { isPlainObject } from '../base/plain-object.ts';
import { type Problems, preview } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import type { StoreBuilder } from '../build/store-builder.ts';
import { creatorNames } from '../model/names.ts';
import {
  type Attribute,
  type EntryType,
  fileType,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  userType,
} from '../model/schema.ts';
import { uploadNamesOf } from './uploaded-files.ts';

/** The row of an entry or component, by uid and load ordinal. */
export interface RowHandle {
  readonly uid: string;
  readonly ordinal: number;
}

/**
 * Receives the value of a relation or media attribute. `location` is the location of the entry. `path` leads from there
 * to the component that holds the attribute.
 */
type ReferenceSink = (row: RowHandle, attribute: LinkAttribute, value: unknown, location: string, path: string) => void;

/**
 * Adds entries and their nested components to a store builder. A component becomes a row of its own type and a link.
 * Passes the values of relations to `addReference` and reports unknown keys. Without `addReference`, ignores relations
 * and unknown keys, because exports hold relations in separate files.
 */
export class EntryWriter {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #addReference: ReferenceSink | null;
  /** documentIds of users whose `blocked` is neither false nor null. `#` and the id for users without a documentId. */
  readonly blockedUsers = new Set<string>();
  /** Names of uploaded files. */
  readonly uploadNames = new Set<string>();

  constructor(builder: StoreBuilder, problems: Problems, addReference: ReferenceSink | null) {
    this.#builder = builder;
    this.#problems = problems;
    this.#addReference = addReference;
  }

  /** Adds an entry, or the nested component at `path`. */
  add(type: EntryType, values: Record<string, unknown>, published: boolean, location: string, path = ''): RowHandle {
    if (type.uid === userType && (values.blocked ?? false) !== false) {
      this.blockedUsers.add(String(values.documentId ?? `#${values.id}`));
    }
    if (type.uid === fileType) for (const name of uploadNamesOf(values)) this.uploadNames.add(name);
    const row = { uid: type.uid, ordinal: this.#builder.rows(type.uid).add(values, published, location + path) };
    for (const name in values) {
      if (!Object.hasOwn(values, name)) continue;
      const attribute = type.attributes.get(name);
      const value = values[name];
      const wrong = this.#addReference && describeInvalidKey(type, name, attribute);
      if (wrong) this.#problems.tolerate('unknown-key', location + path, wrong);
      if (!attribute || isScalar(attribute) || value === null || value === undefined) continue;
      if (!this.#builder.schema.storesLinks(attribute)) continue;
      if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        this.#addComponents(row, attribute, value, location, path);
      } else this.#addReference?.(row, attribute, value, location, path);
    }
    return row;
  }

  #addComponents(parent: RowHandle, attribute: LinkAttribute, value: unknown, location: string, path: string): void {
    const at = `${path}, attribute ${attribute.name}`;
    if (attribute.many !== Array.isArray(value)) {
      const message = () => `expected ${attribute.many ? 'a list' : 'one object'}, not ${preview(value)}`;
      this.#problems.tolerate('wrong-component', location + at, message);
      if (typeof value !== 'object') return;
    }
    const links = this.#builder.links(parent.uid, attribute.name);
    // Strapi serves the first item of a list in a non-repeatable attribute
    const items = attribute.many ? [value].flat() : [value].flat().slice(0, 1);
    for (let position = 0; position < items.length; position++) {
      const item = items[position];
      const itemPath = attribute.many ? `${at}[${position}]` : at;
      const type = this.#componentType(attribute, item, location + itemPath);
      if (!type) continue;
      const row = this.add(type, item as Record<string, unknown>, true, location, itemPath);
      links.add(parent.ordinal, this.#builder.numberOf(row.uid), row.ordinal, position, 0);
    }
  }

  #componentType(attribute: LinkAttribute, item: unknown, location: string): EntryType | null {
    if (!isPlainObject(item)) {
      this.#problems.tolerate('wrong-component', location, () => `expected an object, not ${preview(item)}`);
      return null;
    }
    if (!isPolymorphic(attribute)) return this.#builder.schema.type(attribute.target);
    const uid = item.__component;
    if (attribute.components?.includes(uid as string)) return this.#builder.schema.type(uid as string);
    const message = () => `"__component" must be one of ${attribute.components?.join(', ')}, not ${preview(uid)}`;
    this.#problems.tolerate('wrong-component', location, message);
    return null;
  }
}

/** Describes an invalid key: the attribute is unknown or derived. Returns null for a valid key. */
function describeInvalidKey(type: EntryType, name: string, attribute: Attribute | undefined): (() => string) | null {
  const extraKey = type.kind === 'component' ? '__component' : 'status';
  if (!attribute && name === extraKey) return null;
  if (!attribute || creatorNames.has(name)) {
    return () => {
      const writable = Array.from(type.attributes.values()).filter((known) => isScalar(known) || known.owner);
      return `unknown attribute ${preview(name)}${didYouMean(name, [...writable.map((known) => known.name), extraKey])}`;
    };
  }
  if (isScalar(attribute) || attribute.owner) return null;
  const owner = isRelation(attribute) && attribute.inverse;
  const elsewhere = owner ? `: set "${owner}" of ${attribute.target} instead` : '';
  return () => `attribute ${preview(name)} is derived from its owning side${elsewhere}`;
}
