import { isPlainObject } from '../core/plain-object.ts';
import { type Problems, preview } from '../core/problems.ts';
import { didYouMean } from '../core/suggest.ts';
import {
  type Attribute,
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  type Schema,
  userType,
} from '../model/schema/schema.ts';
import { creatorNames } from '../model/schema/type-definition.ts';
import type { StoreBuilder } from '../store/writer/store-builder.ts';
import { uploadNamesOf } from './uploaded-files.ts';

/** The row of an entry or component, by uid and load ordinal. */
export interface RowHandle {
  readonly uid: string;
  readonly ordinal: number;
}

/** Takes the rows that an EntryWriter finds. `Row` is what names a row to the sink. */
export interface RowSink<Row> {
  readonly schema: Schema;
  /** Adds the row of an entry or component. `values` holds all its attributes, `location` is for messages. */
  addRow(type: EntryType, values: Record<string, unknown>, published: boolean, location: string): Row;
  /** Adds a component at a position of an attribute. Its own components have been added. */
  addComponent(parent: Row, attribute: LinkAttribute, component: Row, position: number): void;
  /**
   * Takes the value of a relation or media attribute. `location` is the location of the entry. `path` leads from there
   * to the component that holds the attribute. A sink without this method ignores relations and unknown keys, because
   * exports hold relations in separate files.
   */
  addReference?(row: Row, attribute: LinkAttribute, value: unknown, location: string, path: string): void;
  /**
   * Whether unknown keys, and components that their attribute does not accept, are errors even if mistakes are tolerated.
   */
  readonly isStrict?: boolean;
  /** Whether localizations are given, as in the content of Strapi 4. Otherwise they follow from documents. */
  readonly linksLocalizations?: boolean;
}

/** Adds rows and links of components to a store builder. */
export function storeSink(builder: StoreBuilder): RowSink<RowHandle> {
  return {
    schema: builder.schema,
    addRow: ({ uid }, values, published, location) => ({
      uid,
      ordinal: builder.rows(uid).add(values, published, location),
    }),
    addComponent: (parent, { name }, { uid, ordinal }, position) =>
      builder.links(parent.uid, name).add(parent.ordinal, builder.numberOf(uid), ordinal, position, 0),
  };
}

/**
 * Passes entries and their nested components to a sink: a component is a row of its own type. Reports components that
 * their attribute does not accept and, if the sink takes relations, unknown keys.
 */
export class EntryWriter<Row> {
  readonly #sink: RowSink<Row>;
  readonly #problems: Problems;
  readonly #scalars = new Map<EntryType, ReadonlySet<string>>();
  /** documentIds of users whose `blocked` is neither false nor null. `#` and the id for users without a documentId. */
  readonly blockedUsers = new Set<string>();
  /** Names of uploaded files. */
  readonly uploadNames = new Set<string>();

  constructor(sink: RowSink<Row>, problems: Problems) {
    this.#sink = sink;
    this.#problems = problems;
  }

  /** Adds an entry, or the nested component at `path`. */
  add(type: EntryType, values: Record<string, unknown>, published: boolean, location: string, path = ''): Row {
    if (type.uid === userType && (values.blocked ?? false) !== false) {
      this.blockedUsers.add(String(values.documentId ?? `#${values.id}`));
    }
    if (type.uid === fileType) for (const name of uploadNamesOf(values)) this.uploadNames.add(name);
    const sink = this.#sink;
    const row = sink.addRow(type, values, published, location + path);
    const scalars = this.#scalarsOf(type);
    for (const name in values) {
      if (scalars.has(name) || !Object.hasOwn(values, name)) continue;
      const attribute = type.attributes.get(name);
      const value = values[name];
      if (sink.linksLocalizations && attribute && !isScalar(attribute) && isLocalizations(attribute)) {
        sink.addReference?.(row, attribute, value, location, path);
        continue;
      }
      const wrong = sink.addReference && describeInvalidKey(type, name, attribute);
      if (wrong) this.#report('unknown-key', location + path, wrong);
      if (!attribute || isScalar(attribute) || value === null || value === undefined) continue;
      if (!sink.schema.storesLinks(attribute)) continue;
      if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        this.#addComponents(row, attribute, value, location, path);
      } else sink.addReference?.(row, attribute, value, location, path);
    }
    return row;
  }

  /** The attributes of which nothing is left to check or add. */
  #scalarsOf(type: EntryType): ReadonlySet<string> {
    let names = this.#scalars.get(type);
    if (!names) {
      const scalars = Array.from(type.attributes.values()).filter(isScalar);
      names = new Set(scalars.flatMap(({ name }) => (creatorNames.has(name) ? [] : [name])));
      this.#scalars.set(type, names);
    }
    return names;
  }

  #addComponents(parent: Row, attribute: LinkAttribute, value: unknown, location: string, path: string): void {
    const at = `${path}, attribute ${attribute.name}`;
    if (attribute.many !== Array.isArray(value)) {
      const message = () => `expected ${attribute.many ? 'a list' : 'one object'}, not ${preview(value)}`;
      this.#report('wrong-component', location + at, message);
      if (typeof value !== 'object') return;
    }
    // Strapi serves the first item of a list in a non-repeatable attribute
    const items = attribute.many ? [value].flat() : [value].flat().slice(0, 1);
    for (let position = 0; position < items.length; position++) {
      const item = items[position];
      const itemPath = attribute.many ? `${at}[${position}]` : at;
      const type = this.#componentType(attribute, item, location + itemPath);
      if (!type) continue;
      const row = this.add(type, item as Record<string, unknown>, true, location, itemPath);
      this.#sink.addComponent(parent, attribute, row, position);
    }
  }

  #componentType(attribute: LinkAttribute, item: unknown, location: string): EntryType | null {
    if (!isPlainObject(item)) {
      this.#report('wrong-component', location, () => `expected an object, not ${preview(item)}`);
      return null;
    }
    if (!isPolymorphic(attribute)) return this.#sink.schema.type(attribute.target);
    const uid = item.__component;
    if (attribute.components?.includes(uid as string)) return this.#sink.schema.type(uid as string);
    const message = () => `"__component" must be one of ${attribute.components?.join(', ')}, not ${preview(uid)}`;
    this.#report('wrong-component', location, message);
    return null;
  }

  #report(kind: 'unknown-key' | 'wrong-component', location: string, message: () => string): void {
    if (this.#sink.isStrict) this.#problems.add(location, message);
    else this.#problems.tolerate(kind, location, message);
  }
}

/** Describes an invalid key: the attribute is unknown or derived. Returns null for a valid key. */
export function describeInvalidKey(
  type: EntryType,
  name: string,
  attribute: Attribute | undefined,
): (() => string) | null {
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
