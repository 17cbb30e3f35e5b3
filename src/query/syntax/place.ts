/** Places in a query, as messages and the details of an error name them. */

/** Names of attributes joined by dots; null at the root. */
export type Path = string | null;

export function childPath(path: Path, name: string): string {
  return path === null ? name : `${path}.${name}`;
}

/** The part of a query that is being bound, such as `filters` or `populate[labels][filters]`. */
export interface Part {
  /** The parameter of the query that it belongs to. */
  readonly param: string;
  /** As a URL writes it. */
  readonly written: string;
  /** The attributes populated on the way to it, where the messages name them; paths in this part begin with it. */
  readonly path: Path;
}

/** A parameter of its own. */
export function rootPart(param: string): Part {
  return { param, written: param, path: null };
}

/** One operator applied to one attribute: where its operands come from. */
export interface OperandPlace {
  readonly part: Part;
  readonly operator: string;
  /** The attribute. */
  readonly path: Path;
}
