/** The syntax of `filters`: nodes by the form of each value, without the schema. */
import { isLogicalName, isOperatorName, type LogicalName, logicalOperators, type OperatorName } from '../operators.ts';
import { childPath, type Path } from './location.ts';
import { isContainer } from './parse.ts';

/** A filter, or an operand. Whether an object is one or the other depends on the type of the attribute. */
export type FilterNode = GroupNode | ListNode | ValueNode;

interface NodeBase {
  /** The attribute that the node applies to; null at the root. */
  readonly path: Path;
  /** As the query gives it, for messages and casts. */
  readonly raw: unknown;
}

/** An object. As a filter, all its members must hold. */
interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly members: readonly MemberNode[];
}

/** A list of filters that must all hold, or of operands. */
interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly items: readonly FilterNode[];
}

/** A single value, null or undefined. In a prepared query it may be a placeholder. */
export interface ValueNode extends NodeBase {
  readonly kind: 'value';
}

/** A key of an object with its value. */
export type MemberNode = AttributeNode | ComparisonNode | LogicalNode | UnknownOperatorNode;

export interface AttributeNode {
  readonly kind: 'attribute';
  readonly key: string;
  /** The path of what holds the attribute. */
  readonly parent: Path;
  readonly path: string;
  readonly value: FilterNode;
}

interface ComparisonNode {
  readonly kind: 'comparison';
  readonly key: OperatorName;
  readonly path: Path;
  readonly value: FilterNode;
}

type LogicalNode = { [Key in LogicalName]: LogicalNodeOf<Key> }[LogicalName];

interface LogicalNodeOf<Key extends LogicalName> {
  readonly kind: (typeof logicalOperators)[Key];
  readonly key: Key;
  readonly path: Path;
  readonly value: FilterNode;
}

/** A key that begins with `$` and is no operator. */
interface UnknownOperatorNode {
  readonly kind: 'unknown';
  readonly key: string;
  readonly path: Path;
  readonly value: FilterNode;
}

/** Parses `filters`, or an operand in it. */
export function parseFilter(raw: unknown, path: Path = null): FilterNode {
  if (!isContainer(raw)) return { kind: 'value', path, raw };
  if (Array.isArray(raw)) return { kind: 'list', path, raw, items: raw.map((item) => parseFilter(item, path)) };
  const members = Object.entries(raw).map(([key, value]) => parseMember(key, value, path));
  return { kind: 'group', path, raw, members };
}

function parseMember(key: string, raw: unknown, path: Path): MemberNode {
  if (!key.startsWith('$')) {
    const own = childPath(path, key);
    return { kind: 'attribute', key, parent: path, path: own, value: parseFilter(raw, own) };
  }
  const value = parseFilter(raw, path);
  if (isOperatorName(key)) return { kind: 'comparison', key, path, value };
  if (isLogicalName(key)) return { kind: logicalOperators[key], key, path, value } as LogicalNode;
  return { kind: 'unknown', key, path, value };
}

/** Returns the items of a list, or the node itself as the only one. */
export function itemsOf(node: FilterNode): readonly FilterNode[] {
  return node.kind === 'list' ? node.items : [node];
}
