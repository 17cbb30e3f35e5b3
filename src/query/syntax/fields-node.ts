/** The syntax of `fields`: names between commas, a star, or a list of those. */

export interface FieldsNode {
  /** The items of the list, or the only text. Those that are no texts are mistakes. */
  readonly items: readonly unknown[];
  readonly isList: boolean;
  readonly raw: unknown;
}

/** Parses `fields`. Null if there are none. */
export function parseFields(raw: unknown): FieldsNode | null {
  if (raw === undefined || raw === null) return null;
  return { items: [raw].flat(), isList: Array.isArray(raw), raw };
}
