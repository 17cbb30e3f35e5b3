/**
 * Makes a snapshot of one JSON file that holds data and no content types, as json-server has it:
 * `{"posts": [{"id": 1, "title": "…", "authorId": 2}], "authors": […], "site": {…}}`. The types are inferred from the
 * data. The one thing that keys decide is a relation, which is called after the singular of a collection:
 * `authorId` holds an id of `authors`, `tagIds` several of `tags`.
 */
import { type Problems, preview } from '../../base/problems.ts';
import { creatorNames, namePattern, systemNames } from '../../model/names.ts';
import { limits } from '../limits.ts';
import { datetimeOfValue, typeOfValues } from './infer-attributes.ts';
import { type InferredCollection, type Item, readCollections } from './infer-collections.ts';
import { type JsonSource, once } from './json-source.ts';

/** Names that no key can have: every entry has them already, and this file does not say what they would mean. */
const reserved: ReadonlySet<string> = new Set([...creatorNames, 'locale', 'localizations', '__type']);
/** Keys that every entry has; they hold datetimes. */
const moments: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt']);
const attributeName = new RegExp(`^${namePattern}$`, 'u');

interface InferredAttribute {
  readonly definition: Record<string, unknown> & { type: string };
  /** What is printed of it. */
  readonly words: string;
}

/** A key that holds ids of another collection. */
interface Reference {
  readonly key: string;
  readonly attribute: string;
  readonly many: boolean;
  readonly target: InferredCollection;
}

/** A type as it is being inferred. */
interface Inferring {
  readonly collection: InferredCollection;
  /** All keys of its items, in the order in which they appear. */
  readonly keys: ReadonlySet<string>;
  readonly references: readonly Reference[];
  readonly attributes: Map<string, InferredAttribute>;
}

/** The snapshot of a file, whose name goes into messages. Everybody may read all of it. */
export function inferSnapshot(file: Item, source: string, problems: Problems): JsonSource {
  const collectionCount = Object.keys(file).length;
  if (collectionCount > limits.types) {
    problems.add(source, `${collectionCount} collections; the limit is ${limits.types}`);
    problems.throwIfAny();
  }
  const collections = readCollections(file, source, problems);
  if (Object.keys(file).length === 0) problems.add(source, 'expected at least one collection, such as {"posts": []}');
  const types = collections.map((collection): Inferring => {
    const keys = new Set(collection.items.flatMap((item) => Object.keys(item)));
    if (keys.size > limits.attributes) {
      problems.add(collection.place, `its entries have ${keys.size} keys; the limit is ${limits.attributes}`);
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
      place: collection.place,
      value: {
        kind: collection.isSingle ? 'singleType' : 'collectionType',
        info: { singularName: collection.singularName, pluralName: pluralNameOf(collection) },
        attributes: Object.fromEntries(Array.from(attributes, ([name, { definition }]) => [name, definition])),
      },
    })),
    components: [],
    entriesPlace: () => source,
    roles: { place: source, value: [{ type: 'public', permissions }] },
    entries: new Map(
      types.map((type) => {
        const { place, singularName } = type.collection;
        return [singularName, { place, batches: () => once(entriesOf(type, problems)) }];
      }),
    ),
    inferred: types.map(inWords),
  };
}

/** A single type has a plural name, too, though nothing is served there. */
function pluralNameOf({ isSingle, key }: InferredCollection): string {
  return isSingle ? `${key}-items` : key;
}

function referencesOf(keys: ReadonlySet<string>, collections: readonly InferredCollection[]): Reference[] {
  return [...keys].flatMap((key) => {
    const target = collections.find(({ isSingle, stem }) => !isSingle && (key === `${stem}Id` || key === `${stem}Ids`));
    if (!target) return [];
    const many = key.endsWith('Ids');
    const attribute = many ? target.key : target.stem;
    // what has another meaning already stays what it is, and so does the key
    return keys.has(attribute) || reserved.has(attribute) || systemNames.has(attribute)
      ? []
      : [{ key, attribute, many, target }];
  });
}

function addAttributes({ collection, keys, references, attributes }: Inferring, problems: Problems): void {
  const { items } = collection;
  for (const key of keys) {
    if (key === 'id' || key === 'documentId' || moments.has(key)) continue;
    const first = items.findIndex((item) => Object.hasOwn(item, key));
    if (reserved.has(key)) {
      problems.add(
        `${placeOf(collection, first)}.${key}`,
        'the name is reserved: every entry has it already. Rename the key',
      );
    } else if (!attributeName.test(key)) {
      const what = `the key ${preview(key)} cannot be the name of an attribute: use letters, digits, "_" and "-"`;
      problems.add(placeOf(collection, first), what);
    } else {
      const values = items.map((item) => item[key] ?? null).filter((value) => value !== null);
      const type = typeOfValues(values);
      const isMixed = type === 'json' && new Set(values.map((value) => typeof value)).size > 1;
      attributes.set(key, {
        definition: { type },
        words: `${key} ${isMixed ? 'json (values of several types)' : type}`,
      });
    }
  }
  for (const { key, attribute, many, target } of references) {
    attributes.set(attribute, {
      definition: { type: 'relation', relation: many ? 'manyToMany' : 'manyToOne', target: target.uid },
      words: `${attribute} relation to ${target.key}, by ${key}`,
    });
  }
}

/** The other side of each relation, under the key of the collection that it comes from, if nothing is called so. */
function addInverses({ collection, references, attributes }: Inferring, types: readonly Inferring[]): void {
  for (const { attribute, many, target } of references) {
    const other = types.find((type) => type.collection === target)!;
    const { key } = collection;
    if (other.attributes.has(key) || systemNames.has(key) || reserved.has(key)) continue;
    const relation = many ? 'manyToMany' : 'oneToMany';
    const definition = { type: 'relation', relation, target: collection.uid, mappedBy: attribute };
    other.attributes.set(key, { definition, words: `${key} relation from ${key}` });
    attributes.get(attribute)!.definition.inversedBy = key;
  }
}

/** The items as entries of a snapshot: with documentId, and with relations beside the keys that say them. */
function entriesOf({ collection, references }: Inferring, problems: Problems): Item[] {
  const { items, identities } = collection;
  return items.map((item, i) => {
    const entry: Item = { ...item, ...identities[i] };
    if (identities[i].id === undefined) delete entry.id;
    for (const name of moments) {
      if (!Object.hasOwn(item, name)) continue;
      entry[name] = datetimeOfValue(item[name]);
      if (entry[name] !== undefined) continue;
      const what = `every entry has this key, and it holds a datetime such as 2026-01-05T08:00:00Z, not ${preview(item[name])}. Rename the key`;
      problems.add(`${placeOf(collection, i)}.${name}`, what);
    }
    for (const { key, attribute, many, target } of references) {
      const value = item[key] ?? null;
      if (value === null) continue;
      const ids = many && Array.isArray(value) ? value : [value];
      const wrong = ids.find((id) => typeof id !== 'number' && typeof id !== 'string');
      if (many !== Array.isArray(value) || wrong !== undefined) {
        const expected = many ? `a list of ids of ${preview(target.key)}` : `an id of ${preview(target.key)}`;
        problems.add(`${placeOf(collection, i)}.${key}`, `expected ${expected}, not ${preview(value)}`);
        continue;
      }
      // an id that is not there is told like any dangling relation
      const documents = ids.map((id) => target.documents.get(String(id)) ?? String(id));
      entry[attribute] = many ? documents : documents[0];
    }
    return entry;
  });
}

function placeOf({ place, isSingle }: InferredCollection, item: number): string {
  return isSingle ? place : `${place}[${item}]`;
}

function inWords({ collection, attributes }: Inferring): string {
  const { key, isSingle, items } = collection;
  const count = isSingle
    ? 'single type'
    : `${items.length.toLocaleString('en-US')} ${items.length === 1 ? 'entry' : 'entries'}`;
  const listed = Array.from(attributes.values(), ({ words }) => words).join(', ');
  return `${key} (${count}): ${listed || 'no attributes'}`;
}
