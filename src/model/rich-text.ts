/** Rich text that is written as blocks: what filters, sorts and search see of it. */

/**
 * Returns the text of a list of block objects, which have `type` and `children`, or undefined for any other list.
 * Blocks, and the items of a list block, are lines. Within a line the texts follow one another, those of links among
 * them.
 */
export function richTextOf(blocks: readonly unknown[]): string | undefined {
  return blocks.every(isBlock) ? blocks.map(textOfNode).join('\n') : undefined;
}

interface RichTextNode {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly children?: unknown;
}

function isBlock(value: unknown): boolean {
  const { type, children } = (value ?? {}) as RichTextNode;
  return typeof type === 'string' && Array.isArray(children);
}

function textOfNode(node: unknown): string {
  const { type, text, children } = (node ?? {}) as RichTextNode;
  if (typeof text === 'string') return text;
  return Array.isArray(children) ? children.map(textOfNode).join(type === 'list' ? '\n' : '') : '';
}
