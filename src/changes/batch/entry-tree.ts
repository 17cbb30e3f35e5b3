import { mapAt } from '../../core/map-at.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { RowSink } from '../../load/entry-writer.ts';
import {
  type EntryType,
  fileType,
  isScalar,
  type LinkAttribute,
  type ScalarAttribute,
  type Schema,
  userType,
} from '../../model/schema/schema.ts';
import { nextId, rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { LinkTarget } from './batch.ts';
import { idOfRow, storedLinks } from './stored-links.ts';

/** An entry or component, with the components in it. */
export interface EntryNode {
  readonly type: EntryType;
  readonly values: Readonly<Record<string, unknown>>;
  readonly published: boolean;
  readonly location: string;
  /** The row of the store that it replaces; undefined for a new one, and in a batch. */
  row: number | undefined;
  /** The `id` of `values`, valid or not, until RowNumbers sets it. */
  id: number;
  readonly components: ComponentNode[];
  readonly references: EntryReference[];
}

interface ComponentNode {
  readonly attribute: LinkAttribute;
  readonly position: number;
  readonly node: EntryNode;
}

/** The value of a relation or media attribute. */
interface EntryReference {
  readonly attribute: LinkAttribute;
  readonly value: unknown;
  /** The entry, and the path of the component that holds the attribute. */
  readonly location: string;
}

/** Makes trees of the entries that an EntryWriter passes, without relations and unknown keys. */
export function treeSink(schema: Schema): RowSink<EntryNode> {
  return {
    schema,
    addRow: (type, values, published, location) => ({
      type,
      values,
      published,
      location,
      row: undefined,
      id: values.id as number,
      components: [],
      references: [],
    }),
    addComponent: (parent, attribute, node, position) => parent.components.push({ attribute, position, node }),
  };
}

/** Marks a component as JSON that a patch adds: it gets an id of its own, not that of a component at its position. */
export const isAddedComponent = Symbol('added component');

/** Makes trees with relations. Unknown keys and wrong components are problems. */
export function referringTreeSink(schema: Schema): RowSink<EntryNode> {
  return {
    ...treeSink(schema),
    isStrict: true,
    addReference: (node, attribute, value, location, path) =>
      node.references.push({ attribute, value, location: location + path }),
  };
}

/** Yields a node and all nodes in it. */
export function* nodesOf(node: EntryNode): Generator<EntryNode> {
  yield node;
  for (const { node: component } of node.components) yield* nodesOf(component);
}

/**
 * Returns the `data` of an entity: values and components with their ids. Private values are left out, except those that
 * decide who may sign in and which files are served.
 */
export function dataOf({ type, values, components }: EntryNode): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    if (name === 'id' || !isScalar(attribute) || !isKept(type, attribute) || !Object.hasOwn(values, name)) continue;
    if (values[name] !== undefined) data[name] = values[name];
  }
  for (const { attribute, node } of components) {
    const { name, kind, many } = attribute;
    const uid = kind === 'dynamiczone' ? { __component: node.type.uid } : {};
    const component = { ...uid, id: node.id, ...dataOf(node) };
    const list = Object.hasOwn(data, name) ? (data[name] as unknown[]) : undefined;
    if (!many) data[name] = component;
    else if (list) list.push(component);
    else data[name] = [component];
  }
  return data;
}

function isKept({ uid }: EntryType, { name, private: isPrivate }: ScalarAttribute): boolean {
  return !isPrivate || uid === fileType || (uid === userType && name === 'blocked');
}

/**
 * Gives ids to the rows of entries. An entry that replaces another keeps its id. A component keeps the id of the
 * component at the same position of the same attribute, if its type is the same. Ids in the JSON take precedence. All
 * other rows get ids above all that were ever used in their type.
 */
export class RowNumbers {
  readonly #store: Store;
  readonly #deleted: ReadonlyMap<EntryType, ReadonlySet<number>>;
  readonly #problems: Problems;
  /** The ids that the JSON gives, by type. */
  readonly #given = new Map<EntryType, Set<number>>();
  readonly #next = new Map<EntryType, number>();

  /** `deleted` are the rows that die, by type. */
  constructor(store: Store, deleted: ReadonlyMap<EntryType, ReadonlySet<number>>, problems: Problems) {
    this.#store = store;
    this.#deleted = deleted;
    this.#problems = problems;
  }

  /** Notes the ids that an entry gives, and reports invalid ones. To be called for all entries before `number`. */
  noteGiven(entry: EntryNode): void {
    for (const node of nodesOf(entry)) {
      const id = givenId(node);
      if (id !== null) mapAt(this.#given, node.type, () => new Set()).add(id);
      else if ((node.values.id ?? null) !== null) {
        this.#problems.add(node.location, `"id" must be a positive integer, not ${preview(node.values.id)}`);
      }
    }
  }

  /** Numbers an entry with the row that it replaces, and its components. */
  number(node: EntryNode, row: number | undefined, location: string): void {
    const { type } = node;
    const given = givenId(node);
    const segment = segmentOf(this.#store, type.uid);
    if (row !== undefined) {
      const id = idOfRow(segment, row);
      if (given !== null && given !== id) this.#problems.add(location, `the entry has the id ${id}, not ${given}`);
      return this.#setRow(node, id, row);
    }
    const holder = given === null ? undefined : rowOfId(segment, given);
    const isTaken = holder !== undefined;
    if (isTaken) {
      const message = this.#deleted.get(type)?.has(holder)
        ? `the id ${given} is that of an entry that these changes delete: send the entry in a later batch`
        : `the id ${given} is that of another ${type.singularName}`;
      this.#problems.add(location, message);
    }
    this.#setRow(node, given === null || isTaken ? this.#nextId(type) : given, undefined);
  }

  #setRow(node: EntryNode, id: number, row: number | undefined): void {
    node.id = id;
    node.row = row;
    /** The components of the row in the store, by attribute and position. */
    const stored = new Map<LinkAttribute, Map<number, LinkTarget>>();
    for (const { attribute, position, node: component } of node.components) {
      const { type } = component;
      const segment = segmentOf(this.#store, type.uid);
      const given = givenId(component);
      const isAdded = Object.hasOwn(component.values, isAddedComponent);
      const known = isAdded
        ? undefined
        : mapAt(stored, attribute, () => this.#componentsOf(node, attribute)).get(position);
      if (given !== null) this.#setRow(component, given, rowOfId(segment, given));
      else if (known?.type === type.uid && !this.#given.get(type)?.has(known.id)) {
        this.#setRow(component, known.id, rowOfId(segment, known.id));
      } else this.#setRow(component, this.#nextId(type), undefined);
    }
  }

  #componentsOf({ type, row }: EntryNode, attribute: LinkAttribute): Map<number, LinkTarget> {
    const links = row === undefined ? [] : storedLinks(this.#store, type, attribute, row);
    return new Map(links.map((link) => [link.position, link]));
  }

  #nextId(type: EntryType): number {
    const id = this.#next.get(type) ?? this.#firstId(type);
    this.#next.set(type, id + 1);
    return id;
  }

  #firstId(type: EntryType): number {
    const first = nextId(segmentOf(this.#store, type.uid));
    return Array.from(this.#given.get(type) ?? []).reduce((next, id) => Math.max(next, id + 1), first);
  }
}

/** The id in the JSON; null if there is none, or another value. */
function givenId({ values: { id } }: EntryNode): number | null {
  return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : null;
}
