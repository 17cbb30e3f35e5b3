import { isPolymorphic } from '../model/schema.ts';
import type { Store } from './store.ts';
import { anyChange, groupName, inverseName, isInverse, nameOf, rowName, typeName } from './tag-names.ts';
import { readTag, type Tag } from './tags.ts';

/** Maximum bytes of the names of one reply, with a separator after each. */
const maximumBytes = 2048;

/**
 * Returns the names of what a reply depends on, at most 2 KB of them. A type with too many has groups of documents
 * instead, or its own name.
 */
export function replyNames(store: Store, tags: Iterable<Tag>): string[] {
  const collector = new ReplyNames(store);
  for (const tag of tags) collector.add(tag);
  return collector.finish();
}

/** The names of one type that a reply has. */
interface TypeNames {
  readonly uid: string;
  readonly documents: Set<string>;
  readonly others: Set<string>;
}

class ReplyNames {
  readonly #store: Store;
  readonly #byType = new Map<string, TypeNames>();
  /** Rows of components by collection. Their owners are in the reply, unless an inverse side leads to them. */
  readonly #components: [collection: number, row: number][] = [];
  #hidesOwners = false;

  constructor(store: Store) {
    this.#store = store;
  }

  add(tag: Tag): void {
    const parts = readTag(tag);
    if (parts.kind === 'row') this.#addRow(parts.collection, parts.row);
    else if (parts.kind === 'links') this.#addLinks(parts.attribute, parts.row);
    else this.#namesOf(parts.uid).others.add(nameOf(parts));
  }

  #addRow(collection: number, row: number): void {
    const { type } = this.#store.collections[collection];
    if (type.kind === 'component') this.#components.push([collection, row]);
    else this.#namesOf(type.uid).documents.add(rowName(this.#store, collection, row));
  }

  /** The links that an entry owns belong to its document, which is among the rows of the reply. */
  #addLinks(number: number, row: number): void {
    const { type, attribute } = this.#store.schema.attributeAt(number);
    // files lead to components that use them
    this.#hidesOwners ||= isPolymorphic(attribute) && attribute.kind !== 'dynamiczone';
    if (type.kind !== 'component' && !isInverse(attribute)) return;
    const name = rowName(this.#store, this.#store.byUid.get(type.uid)!.number, row);
    this.#namesOf(type.uid).others.add(isInverse(attribute) ? inverseName(name, attribute) : name);
  }

  #namesOf(uid: string): TypeNames {
    let names = this.#byType.get(uid);
    if (!names) {
      names = { uid, documents: new Set(), others: new Set() };
      this.#byType.set(uid, names);
    }
    return names;
  }

  finish(): string[] {
    for (const [collection, row] of this.#hidesOwners ? this.#components : []) {
      const { uid } = this.#store.collections[collection].type;
      this.#namesOf(uid).documents.add(rowName(this.#store, collection, row));
    }
    const types = Array.from(this.#byType.values(), (names) => ({ names, list: listOf(names) }));
    let bytes = types.reduce((total, { list }) => total + bytesOf(list), 0);
    for (const shorten of [withGroups, ownName]) {
      for (const type of types.toSorted((a, b) => bytesOf(b.list) - bytesOf(a.list))) {
        if (bytes <= maximumBytes) break;
        bytes -= bytesOf(type.list);
        type.list = shorten(type.names);
        bytes += bytesOf(type.list);
      }
    }
    return bytes <= maximumBytes ? types.flatMap(({ list }) => list) : [anyChange];
  }
}

function listOf({ uid, documents, others }: TypeNames): string[] {
  return others.has(typeName(uid)) ? [typeName(uid)] : [...new Set([...others, ...documents])];
}

function withGroups({ uid, documents, others }: TypeNames): string[] {
  return listOf({ uid, others, documents: new Set(Array.from(documents, (name) => groupName(uid, name))) });
}

function ownName({ uid }: TypeNames): string[] {
  return [typeName(uid)];
}

function bytesOf(names: readonly string[]): number {
  return names.reduce((total, { length }) => total + length + 1, 0);
}
