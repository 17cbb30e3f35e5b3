/**
 * Converts a data file without content types, in the format of json-server, into a snapshot: `{"posts": [{"id": 1,
 * "title": "…", "authorId": 2}], "authors": […], "site": {…}}`. Infers attribute types from values, and relations from
 * keys: `authorId` holds an id of `authors`, `tagIds` holds ids of `tags`.
 */
import { formatNumber, type Problems, preview } from '../../core/problems.ts';
import { dateOf, datetimeOf } from '../../model/schema/calendar.ts';
import { creatorNames, isAttributeName, systemNames, timestampNames } from '../../model/schema/type-definition.ts';
import { limits } from '../limits.ts';
import { type InferredCollection, type Item, readCollections } from './infer-collections.ts';
import { type JsonSource, singleBatch } from './json-source.ts';

/** Names that keys cannot have, because every entry has an attribute of that name. */
const reserved: ReadonlySet<string> = new Set([...creatorNames, 'locale', 'localizations', '__type']);

interface InferredAttribute {
  readonly definition: Record<string, unknown> & { type: string };
  /** Description, for the printed list of types. */
  readonly description: string;
}

/** A key whose values are ids of another collection. */
interface Reference {
  readonly key: string;
  readonly attribute: string;
  readonly many: boolean;
  readonly target: InferredCollection;
}

/** A partly inferred type. */
interface TypeDraft {
  readonly collection: InferredCollection;
  /** All keys of its items, in order of appearance. */
  readonly keys: ReadonlySet<string>;
  readonly references: readonly Reference[];
  readonly attributes: Map<string, InferredAttribute>;
}

/** Converts a file into a snapshot that everyone may read. `source` is the file name, for messages. */
export function inferSnapshot(file: Item, source: string, problems: Problems): JsonSource {
  const collectionCount = Object.keys(file).length;
  if (collectionCount > limits.types) {
    problems.add(source, `${collectionCount} collections; the limit is ${limits.types}`);
    problems.throwIfAny();
  }
  const collections = readCollections(file, source, problems);
  if (Object.keys(file).length === 0) problems.add(source, 'expected at least one collection, such as {"posts": []}');
  const types = collections.map((collection): TypeDraft => {
    const keys = new Set(collection.items.flatMap((item) => Object.keys(item)));
    if (keys.size > limits.attributes) {
      problems.add(collection.location, `the entries have ${keys.size} keys; the limit is ${limits.attributes}`);
      problems.throwIfAny();
    }
    return { collection, keys, references: referencesOf(keys, collections), attributes: new Map() };
  });
  for (const type of types) addAttributes(type, problems);
  for (const type of types) addInverses(type, types);
  const permissions = collections.flatMap(({ uid, isSingle }) => [
    `${uid}.find`,
    ...(isSingle ? [] : [`${uid}.findOne`]),
  ]);
  return {
    settings: null,
    contentTypes: types.map(({ collection, attributes }) => ({
      location: collection.location,
      value: {
        kind: collection.isSingle ? 'singleType' : 'collectionType',
        info: { singularName: collection.singularName, pluralName: pluralNameOf(collection) },
        attributes: Object.fromEntries(Array.from(attributes, ([name, { definition }]) => [name, definition])),
      },
    })),
    components: [],
    unreadable: new Set(),
    entriesLocation: () => source,
    roles: { location: source, value: [{ type: 'public', permissions }] },
    entries: new Map(
      types.map((type) => {
        const { location, singularName } = type.collection;
        return [singularName, { location, batches: () => singleBatch(entriesOf(type, problems)) }];
      }),
    ),
    inferred: types.map(describeType),
  };
}

/** Returns the plural name. A single type needs one too, although it has no route. */
function pluralNameOf({ isSingle, key }: InferredCollection): string {
  return isSingle ? `${key}-items` : key;
}

function referencesOf(keys: ReadonlySet<string>, collections: readonly InferredCollection[]): Reference[] {
  return [...keys].flatMap((key) => {
    const target = collections.find(({ isSingle, stem }) => !isSingle && (key === `${stem}Id` || key === `${stem}Ids`));
    if (!target) return [];
    const many = key.endsWith('Ids');
    const attribute = many ? target.key : target.stem;
    // keep the key an ordinary attribute if the name of the relation is in use
    return keys.has(attribute) || reserved.has(attribute) || systemNames.has(attribute)
      ? []
      : [{ key, attribute, many, target }];
  });
}

function addAttributes({ collection, keys, references, attributes }: TypeDraft, problems: Problems): void {
  const { items } = collection;
  for (const key of keys) {
    if (key === 'id' || key === 'documentId' || timestampNames.has(key)) continue;
    const first = items.findIndex((item) => Object.hasOwn(item, key));
    if (reserved.has(key)) {
      problems.add(
        `${locationOf(collection, first)}.${key}`,
        'the name is reserved for an attribute of every entry; rename the key',
      );
    } else if (!isAttributeName(key)) {
      const message = `the key ${preview(key)} is not a valid attribute name: use letters, digits, "_" and "-"`;
      problems.add(locationOf(collection, first), message);
    } else {
      const values = items.map((item) => item[key] ?? null).filter((value) => value !== null);
      const type = typeOfValues(values);
      const isMixed = type === 'json' && new Set(values.map((value) => typeof value)).size > 1;
      attributes.set(key, {
        definition: { type },
        description: `${key} ${isMixed ? 'json (values of several types)' : type}`,
      });
    }
  }
  for (const { key, attribute, many, target } of references) {
    attributes.set(attribute, {
      definition: { type: 'relation', relation: many ? 'manyToMany' : 'manyToOne', target: target.uid },
      description: `${attribute} relation to ${target.key}, by ${key}`,
    });
  }
}

/** Adds the inverse of each relation, named after the referring collection, unless that name is in use. */
function addInverses({ collection, references, attributes }: TypeDraft, types: readonly TypeDraft[]): void {
  for (const { attribute, many, target } of references) {
    const other = types.find((type) => type.collection === target)!;
    const { key } = collection;
    if (other.attributes.has(key) || systemNames.has(key) || reserved.has(key)) continue;
    const relation = many ? 'manyToMany' : 'oneToMany';
    const definition = { type: 'relation', relation, target: collection.uid, mappedBy: attribute };
    other.attributes.set(key, { definition, description: `${key} relation from ${key}` });
    attributes.get(attribute)!.definition.inversedBy = key;
  }
}

/** Converts items into entries: adds the documentId, and a relation for each reference key. */
function entriesOf({ collection, references }: TypeDraft, problems: Problems): Item[] {
  const { items, identities } = collection;
  return items.map((item, i) => {
    const entry: Item = { ...item, ...identities[i] };
    if (identities[i].id === undefined) delete entry.id;
    for (const name of timestampNames) {
      if (!Object.hasOwn(item, name)) continue;
      entry[name] = datetimeOfValue(item[name]);
      if (entry[name] !== undefined) continue;
      const message = `expected a datetime such as 2026-01-05T08:00:00Z, not ${preview(item[name])}; rename the key if it has another meaning`;
      problems.add(`${locationOf(collection, i)}.${name}`, message);
    }
    for (const { key, attribute, many, target } of references) {
      const value = item[key] ?? null;
      if (value === null) continue;
      const ids = many && Array.isArray(value) ? value : [value];
      const wrong = ids.find((id) => typeof id !== 'number' && typeof id !== 'string');
      if (many !== Array.isArray(value) || wrong !== undefined) {
        const expected = many ? `a list of ids of ${preview(target.key)}` : `an id of ${preview(target.key)}`;
        problems.add(`${locationOf(collection, i)}.${key}`, `expected ${expected}, not ${preview(value)}`);
        continue;
      }
      // unknown ids are reported as dangling relations later
      const documents = ids.map((id) => target.documents.get(String(id)) ?? String(id));
      entry[attribute] = many ? documents : documents[0];
    }
    return entry;
  });
}

function locationOf({ location, isSingle }: InferredCollection, item: number): string {
  return isSingle ? location : `${location}[${item}]`;
}

function describeType({ collection, attributes }: TypeDraft): string {
  const { key, isSingle, items } = collection;
  const count = isSingle ? 'single type' : `${formatNumber(items.length)} ${items.length === 1 ? 'entry' : 'entries'}`;
  const listed = Array.from(attributes.values(), ({ description }) => description).join(', ');
  return `${key} (${count}): ${listed || 'no attributes'}`;
}

/** The attribute types that are inferred. */
type InferredType = 'string' | 'date' | 'datetime' | 'integer' | 'float' | 'boolean' | 'json';

/**
 * Returns a type that accepts all values. The values must not contain null. Returns `date` or `datetime` only if every
 * value is one. Returns `json` for arrays, objects and mixed types.
 */
function typeOfValues(values: readonly unknown[]): InferredType {
  const first = values[0];
  if (!values.every((value) => typeof value === typeof first)) return 'json';
  switch (typeof first) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return values.every(Number.isSafeInteger) ? 'integer' : 'float';
    case 'string':
    case 'undefined':
      return typeOfTexts(values as readonly string[]);
    default:
      return 'json';
  }
}

function typeOfTexts(texts: readonly string[]): InferredType {
  if (texts.length === 0) return 'string';
  if (texts.every((text) => dateOf(text) !== undefined)) return 'date';
  return texts.every(isDatetime) ? 'datetime' : 'string';
}

function isDatetime(value: unknown): boolean {
  return typeof value === 'string' && datetimeOf(value) !== undefined;
}

/**
 * Converts a value to a datetime, for attributes such as `createdAt`. A date becomes midnight UTC. Returns null for
 * null and undefined for other values.
 */
function datetimeOfValue(value: unknown): unknown {
  if (value === null || value === undefined || isDatetime(value)) return value ?? null;
  return typeof value === 'string' && dateOf(value) !== undefined ? `${value}T00:00:00.000Z` : undefined;
}
