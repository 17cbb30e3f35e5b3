/** Infers the collections, single types and ids of a data file without content types. */
import { singularize } from 'inflection';
import { type Problems, preview } from '../../core/problems.ts';
import { isAttributeName } from '../../model/schema/type-definition.ts';

export type Item = Record<string, unknown>;

/** A top-level key of the file: a collection or a single type. */
export interface InferredCollection {
  /** The key, which is also the route of a collection. */
  readonly key: string;
  readonly isSingle: boolean;
  /** Prefix of the keys that reference the collection: `post` in `postId`. */
  readonly stem: string;
  readonly singularName: string;
  readonly uid: string;
  /** The location, for messages. */
  readonly location: string;
  readonly items: readonly Item[];
  /** The documentId of each item, and its id if it is a number. */
  readonly identities: readonly { id?: number; documentId: unknown }[];
  /** The documentId by id (as a string) and by documentId. */
  readonly documents: ReadonlyMap<string, string>;
}

/** Reads the top-level keys of a file. Reports values that are neither an object nor a list of objects. */
export function readCollections(file: Item, source: string, problems: Problems): InferredCollection[] {
  const keys = Object.keys(file).filter((key) => key !== '$schema');
  const taken = new Set(keys);
  return keys.flatMap((key) => {
    const value = file[key];
    const location = `${source}, ${key}`;
    if (!isAttributeName(key)) {
      problems.add(source, `the key ${preview(key)} is not a valid route: use letters, digits, "_" and "-"`);
      return [];
    }
    if (typeof value !== 'object' || value === null) {
      problems.add(location, `expected a list of entries, or the object of a single type, not ${preview(value)}`);
      return [];
    }
    const isSingle = !Array.isArray(value);
    const items = [value].flat() as Item[];
    const wrong = items.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item));
    if (wrong >= 0) {
      problems.add(`${location}[${wrong}]`, `expected an object, not ${preview(items[wrong])}`);
      return [];
    }
    const stem = isSingle ? key : singularize(key);
    // names of types must be unique, and singular and plural names must differ
    const singularName = isSingle || !taken.has(stem) ? stem : `${key}-item`;
    taken.add(singularName);
    const identities = isSingle ? [identityOfSingle(value as Item, key)] : identitiesOf(items, location, problems);
    const documents = new Map<string, string>();
    identities.forEach(({ documentId }, i) => {
      if (items[i].id !== undefined && items[i].id !== null) documents.set(String(items[i].id), String(documentId));
    });
    for (const { documentId } of identities) {
      if (!documents.has(String(documentId))) documents.set(String(documentId), String(documentId));
    }
    const uid = `api::${singularName}.${singularName}`;
    return [{ key, isSingle, stem, singularName, uid, location, items, identities, documents }];
  });
}

function identityOfSingle({ id, documentId }: Item, key: string): { id?: number; documentId: unknown } {
  return { id: numberOf(id), documentId: documentId ?? (id === undefined || id === null ? key : String(id)) };
}

/**
 * Returns the ids of the items of a collection. A positive integer, as a number or string, becomes the id of the entry.
 * Other ids become its documentId only. If no item has an id, items are numbered from 1.
 */
function identitiesOf(
  items: readonly Item[],
  location: string,
  problems: Problems,
): { id?: number; documentId: unknown }[] {
  const hasId = ({ id, documentId }: Item) => (id ?? documentId ?? null) !== null;
  const isNumbered = !items.some(hasId);
  return items.map((item, i) => {
    const { id, documentId } = item;
    if (isNumbered) return { id: i + 1, documentId: String(i + 1) };
    if (!hasId(item)) problems.add(`${location}[${i}]`, '"id" is missing, but other entries of the list have one');
    else if (id !== undefined && id !== null && typeof id !== 'number' && typeof id !== 'string') {
      problems.add(`${location}[${i}].id`, `expected a number or a string, not ${preview(id)}`);
    }
    return { id: numberOf(id), documentId: documentId ?? String(id) };
  });
}

function numberOf(id: unknown): number | undefined {
  const number = typeof id === 'string' && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : id;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}
