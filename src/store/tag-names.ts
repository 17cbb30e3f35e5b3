/**
 * The names of tags outside the process, in headers and events. They hold neither commas nor blanks, and only ASCII.
 * The names of a reply and of a batch have one in common whenever their tags do.
 */
import { type Attribute, isPolymorphic, isScalar } from '../model/schema.ts';
import { readNumber, readText } from './read-value.ts';
import type { Store } from './store.ts';
import { readTag, type Tag } from './tags.ts';

/** Maximum bytes of the names of one reply, with a separator after each. */
const maximumBytes = 2048;

/** A reply that depends on too many types has only this name. Every batch has it. */
const anyChange = 'all';

/** The name of a type: anything about its entries, and which they are. */
export function typeName(uid: string): string {
  return encodeURIComponent(uid.toWellFormed()).replaceAll('%3A', ':');
}

function rowsName(uid: string): string {
  return `${typeName(uid)}:entries`;
}

function attributeName(uid: string, name: string): string {
  return `${typeName(uid)}.${encode(name)}`;
}

/** A value of `documentId` is the name of the document. */
function valueName(uid: string, name: string, value: string): string {
  return name === 'documentId' ? documentName(uid, value) : `${attributeName(uid, name)}=${encode(value)}`;
}

/** The name of a document: the values and links of its entries and of their components. */
function documentName(uid: string, documentId: string): string {
  return `${typeName(uid)}/${encode(documentId)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Returns the name of the document of a row. An entry without a documentId, and a component, has its id there. */
function rowName(store: Store, collection: number, row: number): string {
  const segment = store.segments[collection];
  const { uid } = segment.collection.type;
  return documentName(uid, readText(segment, row, 'documentId') ?? String(readNumber(segment, row, 'id')));
}

/** The names of one type that a reply has. */
type NamesByType = Map<string, Set<string>>;

/** Returns the names of what a reply depends on, at most 2 KB of them. A type with too many has its own name instead. */
export function replyNames(store: Store, tags: Iterable<Tag>): string[] {
  const collector = new ReplyNames(store);
  for (const tag of tags) collector.add(tag);
  return collector.finish();
}

class ReplyNames {
  readonly #store: Store;
  readonly #byType: NamesByType = new Map();
  /** Rows of components by collection. Their owners are in the reply, unless an inverse side leads to them. */
  readonly #components: [collection: number, row: number][] = [];
  #hidesOwners = false;

  constructor(store: Store) {
    this.#store = store;
  }

  add(tag: Tag): void {
    const parts = readTag(tag);
    switch (parts.kind) {
      case 'row':
        return this.#addRow(parts.collection, parts.row);
      case 'links':
        return this.#addLinks(parts.attribute, parts.row);
      case 'type':
        return this.#add(parts.uid, typeName(parts.uid));
      case 'rows':
        return this.#add(parts.uid, rowsName(parts.uid));
      case 'attribute':
        return this.#add(parts.uid, attributeName(parts.uid, parts.name));
      case 'value':
        return this.#add(parts.uid, valueName(parts.uid, parts.name, parts.value));
      default:
        parts satisfies never;
    }
  }

  #addRow(collection: number, row: number): void {
    const { type } = this.#store.collections[collection];
    if (type.kind === 'component') this.#components.push([collection, row]);
    else this.#add(type.uid, rowName(this.#store, collection, row));
  }

  /** The links that an entry owns belong to its document, which is among the rows of the reply. */
  #addLinks(number: number, row: number): void {
    const { type, attribute } = this.#store.schema.attributeAt(number);
    this.#hidesOwners ||= leadsToComponents(attribute);
    const name = linksName(this.#store, number, row);
    if (type.kind === 'component' || isInverse(attribute)) this.#add(type.uid, name);
  }

  #add(uid: string, name: string): void {
    const names = this.#byType.get(uid);
    if (names) names.add(name);
    else this.#byType.set(uid, new Set([name]));
  }

  finish(): string[] {
    if (this.#hidesOwners) {
      for (const [collection, row] of this.#components) {
        this.#add(this.#store.collections[collection].type.uid, rowName(this.#store, collection, row));
      }
    }
    const groups = Array.from(this.#byType, ([uid, names]) => {
      const list = names.has(typeName(uid)) ? [typeName(uid)] : [...names];
      return { uid, names: list, bytes: bytesOf(list) };
    });
    let bytes = groups.reduce((total, group) => total + group.bytes, 0);
    for (const group of groups.toSorted((a, b) => b.bytes - a.bytes)) {
      if (bytes <= maximumBytes) break;
      bytes -= group.bytes;
      group.names = [typeName(group.uid)];
      bytes += bytesOf(group.names);
    }
    return bytes <= maximumBytes ? groups.flatMap(({ names }) => names) : [anyChange];
  }
}

function bytesOf(names: readonly string[]): number {
  return names.reduce((total, { length }) => total + length + 1, 0);
}

/** The name of a list of links: of the document or component, or of the attribute of a document if others own the links. */
function linksName(store: Store, number: number, row: number): string {
  const { type, attribute } = store.schema.attributeAt(number);
  const name = rowName(store, store.byUid.get(type.uid)!.number, row);
  return isInverse(attribute) ? `${name}.${encode(attribute.name)}` : name;
}

function isInverse(attribute: Attribute): boolean {
  return !isScalar(attribute) && !attribute.owner;
}

/** Returns whether links may lead to components that do not belong to the row, such as from a file to its uses. */
function leadsToComponents(attribute: Attribute): boolean {
  return isPolymorphic(attribute) && attribute.kind !== 'dynamiczone';
}

/**
 * Returns the names of what a batch made stale, in no order: of the rows as they were and as they are. Every type that
 * it changes has its own name among them.
 */
export function staleNames(before: Store, after: Store, tags: Iterable<Tag>): Set<string> {
  const names = new Set([anyChange]);
  const addOf = (uid: string, name: string) => names.add(typeName(uid)).add(name);
  for (const tag of tags) {
    const parts = readTag(tag);
    switch (parts.kind) {
      case 'row':
      case 'links': {
        const { uid, number } =
          parts.kind === 'row'
            ? { uid: after.collections[parts.collection].type.uid, number: parts.collection }
            : ownerOf(after, parts.attribute);
        for (const store of [before, after]) {
          if (parts.row >= store.segments[number].rowCount) continue;
          addOf(
            uid,
            parts.kind === 'row' ? rowName(store, number, parts.row) : linksName(store, parts.attribute, parts.row),
          );
        }
        break;
      }
      case 'type':
        names.add(typeName(parts.uid));
        break;
      case 'rows':
        addOf(parts.uid, rowsName(parts.uid));
        break;
      case 'attribute':
        addOf(parts.uid, attributeName(parts.uid, parts.name));
        break;
      case 'value':
        addOf(parts.uid, valueName(parts.uid, parts.name, parts.value));
        break;
      default:
        parts satisfies never;
    }
  }
  return names;
}

function ownerOf({ schema, byUid }: Store, attribute: number): { uid: string; number: number } {
  const { uid } = schema.attributeAt(attribute).type;
  return { uid, number: byUid.get(uid)!.number };
}
