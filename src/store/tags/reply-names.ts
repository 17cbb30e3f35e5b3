import { isPolymorphic } from '../../model/schema/schema.ts';
import { type Store, segmentOf } from '../store.ts';
import { anyChange, groupName, inverseName, isInverse, nameOf, rowName, typeName } from './tag-names.ts';
import { otherRowsOf, readTag, type Tag, taggedRowsOf } from './tags.ts';

/** Maximum bytes of the names of one reply, with a separator after each. */
const maximumBytes = 2048;

/** The default of the maximum number of names. Akamai and Next.js take 128, and adapters add one of their own. */
const maximumNames = 127;

/**
 * Returns the names of what a reply depends on, at most 2 KB and `maximum` of them. A type with too many has groups of
 * documents instead, or its own name.
 */
export function replyNames(store: Store, tags: Iterable<Tag>, maximum = maximumNames): string[] {
  const collector = new ReplyNames(store, maximum);
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
  readonly #maximum: number;
  readonly #byType = new Map<string, TypeNames>();
  /** The components in the reply. Their owners are in it, too, unless an inverse side leads to them. */
  readonly #components = new Set<string>();
  #hidesOwners = false;

  constructor(store: Store, maximum: number) {
    this.#store = store;
    this.#maximum = maximum;
  }

  add(tag: Tag): void {
    const parts = readTag(tag);
    if (parts.kind === 'row') this.#addRow(parts.collection, parts.row);
    else if (parts.kind === 'presence') this.#addHidden(parts.collection, parts.row);
    else if (parts.kind === 'links') this.#addLinks(parts.attribute, parts.row);
    else this.#namesOf(parts.uid).others.add(nameOf(parts));
  }

  #addRow(collection: number, row: number): void {
    const { type } = this.#store.collections[collection];
    if (type.kind === 'component') this.#components.add(type.uid);
    else this.#addDocument(collection, row, taggedRowsOf(this.#store.segments[collection], row));
  }

  /** A row with a status that the reply does not show concerns it when it gets the other one. */
  #addHidden(collection: number, row: number): void {
    const segment = this.#store.segments[collection];
    if (segment.collection.type.kind === 'component') this.#addRow(collection, row);
    else this.#addDocument(collection, row, otherRowsOf(segment, row));
  }

  #addDocument(collection: number, row: number, rows: string): void {
    this.#namesOf(rows).documents.add(rowName(this.#store, collection, row, rows));
  }

  /** The links that an entry owns belong to its document, which is among the rows of the reply. */
  #addLinks(number: number, row: number): void {
    const { type, attribute } = this.#store.schema.attributeAt(number);
    // files lead to components that use them
    this.#hidesOwners ||= isPolymorphic(attribute) && attribute.kind !== 'dynamiczone';
    if (type.kind !== 'component' && !isInverse(attribute)) return;
    const segment = segmentOf(this.#store, type.uid);
    const name = rowName(this.#store, segment.collection.number, row);
    this.#namesOf(taggedRowsOf(segment, row)).others.add(isInverse(attribute) ? inverseName(name, attribute) : name);
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
    if (this.#hidesOwners) for (const uid of this.#components) this.#namesOf(uid).others.add(typeName(uid));
    const types = Array.from(this.#byType.values(), (names) => ({ names, list: listOf(names) }));
    const all = () => types.flatMap(({ list }) => list);
    const isShort = () => bytesOf(all()) <= maximumBytes;
    const fits = () => isShort() && all().length <= this.#maximum;
    // groups are shorter, and rarely fewer
    const steps = [
      { shorten: withGroups, isEnough: isShort },
      { shorten: ownName, isEnough: fits },
    ];
    for (const { shorten, isEnough } of steps) {
      for (const type of types.toSorted((a, b) => bytesOf(b.list) - bytesOf(a.list))) {
        if (isEnough()) break;
        type.list = shorten(type.names);
      }
    }
    return fits() ? all() : [anyChange];
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
