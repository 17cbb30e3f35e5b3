/** The syntax of `sort`: `a`, `a.b:desc,c`, `{a: "desc"}`, `{a: {b: "asc"}}`, and lists of either. */
import { isContainer } from './parse.ts';

export type SortNode = SortTextNode | SortListNode | SortObjectNode | SortValueNode;

/** A text. As the value of a key it is an order. */
interface SortTextNode {
  readonly kind: 'text';
  readonly keys: readonly SortText[];
  readonly raw: string;
}

/** A sort key as text, between commas. */
export interface SortText {
  readonly text: string;
  /** What is before the first colon: names joined by dots. */
  readonly path: string;
  /** What follows each colon. */
  readonly orders: readonly string[];
}

export interface SortListNode {
  readonly kind: 'list';
  readonly items: readonly SortNode[];
  readonly raw: readonly unknown[];
}

export interface SortObjectNode {
  readonly kind: 'object';
  readonly entries: readonly SortEntry[];
  readonly raw: object;
}

/** `key` is a name, or names joined by dots. */
type SortEntry = readonly [key: string, value: SortNode];

/** Anything else, such as null or a number. */
interface SortValueNode {
  readonly kind: 'value';
  readonly raw: unknown;
}

export function parseSort(raw: unknown): SortNode {
  if (typeof raw === 'string') return { kind: 'text', raw, keys: raw.split(',').map(parseSortText) };
  if (!isContainer(raw)) return { kind: 'value', raw };
  if (Array.isArray(raw)) return { kind: 'list', raw, items: raw.map(parseSort) };
  return { kind: 'object', raw, entries: Object.entries(raw).map(([key, value]) => [key, parseSort(value)] as const) };
}

function parseSortText(text: string): SortText {
  const [path, ...orders] = text.split(':').map((part) => part.trim());
  return { text, path, orders };
}

/** Returns the keys of an object, or the items of a list under their numbers. */
export function sortEntries(node: SortListNode | SortObjectNode): readonly SortEntry[] {
  return node.kind === 'object' ? node.entries : node.items.map((item, i) => [String(i), item] as const);
}
