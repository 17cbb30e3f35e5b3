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

/** An entry or component in JSON, with the components in it. */
export interface EntryNode {
  readonly type: EntryType;
  readonly values: Readonly<Record<string, unknown>>;
  readonly published: boolean;
  readonly location: string;
  /** The row of the store that it replaces; undefined for a new one. */
  row: number | undefined;
  /** 0 before rows are numbered. */
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

/** Makes trees of the entries that an EntryWriter passes. */
export function treeSink(schema: Schema): RowSink<EntryNode> {
  return {
    schema,
    addRow: (type, values, published, location) => ({
      type,
      values,
      published,
      location,
      row: undefined,
      id: 0,
      components: [],
      references: [],
    }),
    addComponent: (parent, attribute, node, position) => parent.components.push({ attribute, position, node }),
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
