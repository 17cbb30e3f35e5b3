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
import { uploadNamesOf } from './strapi/uploaded-files.ts';

/** The row of an entry, or of a component inside one, by uid and arrival number. */
export interface RowHandle {
  readonly uid: string;
  readonly arrival: number;
}

/**
 * Takes the value of a relation or media attribute where it stands: in the entry at `place`, or in a component inside
 * that entry, to which `path` leads.
 */
export type ReferenceTaker = (
  row: RowHandle,
  attribute: LinkAttribute,
  value: unknown,
  place: string,
  path: string,
) => void;

/**
 * Adds entries with the components that stand inside them; a component becomes a row of its own type and a connection.
 * What relations hold is passed on to `takeReference`, and keys that name no attribute are problems. Without one, keys
 * that are no scalar and no component are passed over, as exports keep relations apart.
 */
export class EntryWriter {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #takeReference: ReferenceTaker | null;
  /** The documentIds of users whose `blocked` is anything but false or nothing; of those without one, `#` and the id. */
  readonly blockedUsers = new Set<string>();
  /** The names of uploaded files. */
  readonly uploadNames = new Set<string>();

  constructor(builder: StoreBuilder, problems: Problems, takeReference: ReferenceTaker | null) {
    this.#builder = builder;
    this.#problems = problems;
    this.#takeReference = takeReference;
  }

  /** Adds an entry, or a component inside one, to which `path` leads. */
  add(type: EntryType, values: Record<string, unknown>, published: boolean, place: string, path = ''): RowHandle {
    if (type.uid === userType && (values.blocked ?? false) !== false) {
      this.blockedUsers.add(String(values.documentId ?? `#${values.id}`));
    }
    if (type.uid === fileType) for (const name of uploadNamesOf(values)) this.uploadNames.add(name);
    const row = { uid: type.uid, arrival: this.#builder.rows(type.uid).add(values, published, place + path) };
    for (const name in values) {
      if (!Object.hasOwn(values, name)) continue;
      const attribute = type.attributes.get(name);
      const value = values[name];
      const wrong = this.#takeReference && problemOfKey(type, name, attribute);
      if (wrong) this.#problems.tolerate('unknown-key', place + path, wrong);
      if (!attribute || isScalar(attribute) || value === null || value === undefined) continue;
      if (!this.#builder.schema.holds(attribute)) continue;
      if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        this.#addComponents(row, attribute, value, place, path);
      } else this.#takeReference?.(row, attribute, value, place, path);
    }
    return row;
  }

  #addComponents(parent: RowHandle, attribute: LinkAttribute, value: unknown, place: string, path: string): void {
    const at = `${path}, attribute ${attribute.name}`;
    if (attribute.many !== Array.isArray(value)) {
      const what = () => `expected ${attribute.many ? 'a list' : 'one object'}, not ${preview(value)}`;
      this.#problems.tolerate('wrong-component', place + at, what);
      if (typeof value !== 'object') return;
    }
    const links = this.#builder.links(parent.uid, attribute.name);
    // of a list in place of one, Strapi serves the first
    const items = attribute.many ? [value].flat() : [value].flat().slice(0, 1);
    for (let position = 0; position < items.length; position++) {
      const item = items[position];
      const itemPath = attribute.many ? `${at}[${position}]` : at;
      const type = this.#componentType(attribute, item, place + itemPath);
      if (!type) continue;
      const row = this.add(type, item as Record<string, unknown>, true, place, itemPath);
      links.add(parent.arrival, this.#builder.numberOf(row.uid), row.arrival, position, 0);
    }
  }

  #componentType(attribute: LinkAttribute, item: unknown, place: string): EntryType | null {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      this.#problems.tolerate('wrong-component', place, () => `expected an object, not ${preview(item)}`);
      return null;
    }
    if (!isPolymorphic(attribute)) return this.#builder.schema.type(attribute.target);
    const uid = (item as { __component?: unknown }).__component;
    if (attribute.components?.includes(uid as string)) return this.#builder.schema.type(uid as string);
    const what = () => `"__component" is to be one of ${attribute.components?.join(', ')}, not ${preview(uid)}`;
    this.#problems.tolerate('wrong-component', place, what);
    return null;
  }
}

/** What is wrong with a key that a person wrote: it names no attribute, or one that is derived from elsewhere. */
function problemOfKey(type: EntryType, name: string, attribute: Attribute | undefined): (() => string) | null {
  const mark = type.kind === 'component' ? '__component' : 'status';
  if (!attribute && name === mark) return null;
  if (!attribute || creatorNames.has(name)) {
    return () => {
      const written = Array.from(type.attributes.values()).filter((known) => isScalar(known) || known.owner);
      return `unknown attribute ${preview(name)}${didYouMean(name, [...written.map((known) => known.name), mark])}`;
    };
  }
  if (isScalar(attribute) || attribute.owner) return null;
  const owner = isRelation(attribute) && attribute.inverse;
  const elsewhere = owner ? `: write it as "${owner}" of ${attribute.target}` : '';
  return () => `attribute ${preview(name)} is derived from the side that owns it${elsewhere}`;
}
