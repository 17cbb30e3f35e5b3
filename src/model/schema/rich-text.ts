/** Plain text of rich text in blocks, for filters, sorting and search. */

/**
 * Returns the text of a list of blocks, or undefined if an item is not a block with `type` and `children`. Each block
 * and each item of a list block is one line. The text of links is included.
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
