/** The collections and single types of a file that holds data and no content types, and the ids in them. */
import { singularize } from 'inflection';
import { type Problems, preview } from '../../base/problems.ts';
import { namePattern } from '../../model/names.ts';

export type Item = Record<string, unknown>;

/** One key at the top of the file. */
export interface InferredCollection {
  /** The key: the path that a collection is served at. */
  readonly key: string;
  readonly isSingle: boolean;
  /** What a relation to it begins with: `post` in `postId`. */
  readonly stem: string;
  readonly singularName: string;
  readonly uid: string;
  /** Where it stands, for messages. */
  readonly place: string;
  readonly items: readonly Item[];
  /** By item, its documentId, and its id if that is a number. */
  readonly identities: readonly { id?: number; documentId: unknown }[];
  /** By id, as text, and by documentId: the documentId. */
  readonly documents: ReadonlyMap<string, string>;
}

const name = new RegExp(`^${namePattern}$`, 'u');

/** Reads the keys at the top of a file. What is neither a list of objects nor an object is a problem. */
export function readCollections(file: Item, source: string, problems: Problems): InferredCollection[] {
  const keys = Object.keys(file).filter((key) => key !== '$schema');
  const taken = new Set(keys);
  return keys.flatMap((key) => {
    const value = file[key];
    const place = `${source}, ${key}`;
    if (!name.test(key)) {
      problems.add(source, `the key ${preview(key)} cannot be a path: use letters, digits, "_" and "-"`);
      return [];
    }
    if (typeof value !== 'object' || value === null) {
      problems.add(place, `expected a list of entries, or the object of a single type, not ${preview(value)}`);
      return [];
    }
    const isSingle = !Array.isArray(value);
    const items = [value].flat() as Item[];
    const wrong = items.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item));
    if (wrong >= 0) {
      problems.add(`${place}[${wrong}]`, `expected an object, not ${preview(items[wrong])}`);
      return [];
    }
    const stem = isSingle ? key : singularize(key);
    // two types cannot have one name, nor a type one name for both numbers
    const singularName = isSingle || !taken.has(stem) ? stem : `${key}-item`;
    taken.add(singularName);
    const identities = isSingle ? [identityOfSingle(value as Item, key)] : identitiesOf(items, place, problems);
    const documents = new Map<string, string>();
    identities.forEach(({ documentId }, i) => {
      if (items[i].id !== undefined && items[i].id !== null) documents.set(String(items[i].id), String(documentId));
    });
    for (const { documentId } of identities) {
      if (!documents.has(String(documentId))) documents.set(String(documentId), String(documentId));
    }
    const uid = `api::${singularName}.${singularName}`;
    return [{ key, isSingle, stem, singularName, uid, place, items, identities, documents }];
  });
}

function identityOfSingle({ id, documentId }: Item, key: string): { id?: number; documentId: unknown } {
  return { id: numberOf(id), documentId: documentId ?? (id === undefined || id === null ? key : String(id)) };
}

/**
 * The ids of a collection's items. An id that is a positive whole number, or its text, is the id of the entry; others
 * are its documentId alone. Where no item has an id, they are numbered in order.
 */
function identitiesOf(
  items: readonly Item[],
  place: string,
  problems: Problems,
): { id?: number; documentId: unknown }[] {
  const hasId = ({ id, documentId }: Item) => (id ?? documentId ?? null) !== null;
  const isNumbered = !items.some(hasId);
  return items.map((item, i) => {
    const { id, documentId } = item;
    if (isNumbered) return { id: i + 1, documentId: String(i + 1) };
    if (!hasId(item)) problems.add(`${place}[${i}]`, 'it has no "id", as other entries of the list do');
    else if (id !== undefined && id !== null && typeof id !== 'number' && typeof id !== 'string') {
      problems.add(`${place}[${i}].id`, `expected a number or text, not ${preview(id)}`);
    }
    return { id: numberOf(id), documentId: documentId ?? String(id) };
  });
}

function numberOf(id: unknown): number | undefined {
  const number = typeof id === 'string' && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : id;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}
