/**
 * A JSON value as a list of rows that fold. Only what is open has nodes, so that opening a list of a million items takes
 * no longer than opening one of ten.
 */

/** A row of the tree. */
export interface TreeRow {
  readonly depth: number;
  /** The name or the position in what it is in. Null for the root, and for a line of a long text. */
  readonly key: string | number | null;
  readonly value: unknown;
  readonly canOpen: boolean;
  readonly isOpen: boolean;
  /** The row of what it is in. -1 for the root. */
  readonly parent: number;
  /** From 1, among `siblings`. */
  readonly position: number;
  readonly siblings: number;
}

/** What is open: an object, a list, or a long text as a list of lines. */
interface OpenNode {
  readonly kind: 'object' | 'list' | 'text';
  /** The names of the members of an object. Empty for others. */
  readonly keys: readonly string[];
  readonly members: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly length: number;
  /** The members that are open, by their positions. In order. */
  readonly open: Map<number, OpenNode>;
  /** The number of rows below it. */
  rows: number;
}

/** A node, the row at which it begins, and the position of one of its members. */
interface Step {
  readonly node: OpenNode;
  readonly nodeRow: number;
  readonly position: number;
}

/** Longer texts fold. */
const longText = 80;

const lineLength = 100;

/** A JSON value that folds. */
export class TreeRows {
  readonly #value: unknown;
  #root: OpenNode | null = null;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** The number of rows. */
  get length(): number {
    return 1 + (this.#root?.rows ?? 0);
  }

  /** Opens or closes a row that can. What is open below a row that is closed will be closed, too. */
  toggle(row: number): void {
    if (row === 0) {
      this.#root = this.#root ? null : openNode(this.#value);
      return;
    }
    const steps = this.#stepsTo(row);
    const { node, position } = steps[steps.length - 1];
    const opened = node.open.get(position);
    const child = opened ? null : openNode(memberOf(node, position));
    if (child) insertInOrder(node.open, position, child);
    else node.open.delete(position);
    const change = child ? child.rows : -opened!.rows;
    for (const step of steps) step.node.rows += change;
  }

  /** Returns one row. */
  row(row: number): TreeRow {
    if (row === 0) return rowOf(this.#value, this.#root, { depth: 0, key: null, parent: -1, position: 1, siblings: 1 });
    const steps = this.#stepsTo(row);
    const { node, nodeRow, position } = steps[steps.length - 1];
    const key = node.kind === 'object' ? node.keys[position] : node.kind === 'list' ? position : null;
    const place = { depth: steps.length, key, parent: nodeRow, position: position + 1, siblings: node.length };
    return rowOf(memberOf(node, position), node.open.get(position) ?? null, place);
  }

  /** Returns the nodes that a row is in, from the root on. */
  #stepsTo(row: number): Step[] {
    const steps: Step[] = [];
    let node = this.#root!;
    let nodeRow = 0;
    for (;;) {
      let rowsAbove = 0;
      let inner: Step | null = null;
      for (const [position, child] of node.open) {
        const childRow = nodeRow + 1 + position + rowsAbove;
        if (row <= childRow) break;
        if (row <= childRow + child.rows) {
          inner = { node: child, nodeRow: childRow, position };
          break;
        }
        rowsAbove += child.rows;
      }
      steps.push({ node, nodeRow, position: inner ? inner.position : row - nodeRow - 1 - rowsAbove });
      if (!inner) return steps;
      ({ node, nodeRow } = inner);
    }
  }
}

function rowOf(
  value: unknown,
  node: OpenNode | null,
  place: Pick<TreeRow, 'depth' | 'key' | 'parent' | 'position' | 'siblings'>,
): TreeRow {
  const isLine = place.key === null && place.depth > 0;
  return { ...place, value, canOpen: !isLine && canOpen(value), isOpen: node !== null };
}

function canOpen(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText;
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value : Object.keys(value)).length > 0;
}

function openNode(value: unknown): OpenNode {
  const isText = typeof value === 'string';
  const list = isText ? linesOf(value) : Array.isArray(value) ? value : null;
  const open = new Map<number, OpenNode>();
  if (list) {
    return { kind: isText ? 'text' : 'list', keys: [], members: list, length: list.length, open, rows: list.length };
  }
  const members = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(members);
  return { kind: 'object', keys, members, length: keys.length, open, rows: keys.length };
}

function memberOf({ kind, keys, members }: OpenNode, position: number): unknown {
  if (kind === 'object') return (members as Readonly<Record<string, unknown>>)[keys[position]];
  return (members as readonly unknown[])[position];
}

function insertInOrder(open: Map<number, OpenNode>, position: number, child: OpenNode): void {
  const later = [...open].filter(([at]) => at > position);
  for (const [at] of later) open.delete(at);
  open.set(position, child);
  for (const [at, node] of later) open.set(at, node);
}

const linePattern = new RegExp(`.{1,${lineLength}}(?:\\s|$)|.{1,${lineLength}}`, 'gsu');

/** Breaks a text into lines: at its own breaks, and at the last space that fits. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => line.match(linePattern) ?? ['']);
}
