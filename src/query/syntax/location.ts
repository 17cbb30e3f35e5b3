/** Locations in a query, as the message and the details of an error name them. */

/** Names of attributes joined by dots; null at the root. */
export type Path = string | null;

export function childPath(path: Path, name: string): string {
  return path === null ? name : `${path}.${name}`;
}

export function joinPaths(base: Path, path: Path): Path {
  return path === null ? base : childPath(base, path);
}

/** A part of a query that holds names, such as `filters` or `populate[labels][filters]`. */
export interface Part {
  /** The parameter of the query that it belongs to. */
  readonly param: string;
  /** As a URL writes it. */
  readonly url: string;
  /** The populated attributes that lead to it. Paths inside the part are relative to them. Null: paths are absolute. */
  readonly base: Path;
}

/** Returns a parameter of its own. */
export function rootPart(param: string): Part {
  return { param, url: param, base: null };
}

/** One operator applied to one attribute: where its operands come from. */
export interface OperandPlace {
  readonly part: Part;
  readonly operator: string;
  /** The attribute, relative to the part. */
  readonly path: Path;
  /** The attribute leads to entries, whose ids are compared. */
  readonly comparesIds: boolean;
}

/** A place in `populate`: an attribute, or one of the types that it leads to. */
export interface PopulatePlace {
  /** The attributes: `zone.author`. */
  readonly path: Path;
  /** The keys of the query: `zone.on[block.quote].populate.author`. */
  readonly keyPath: Path;
  /** The attributes, and the types chosen with `on`: `zone.block.quote.author`. */
  readonly typePath: Path;
  /** As a URL writes it: `populate[zone][on][block.quote][populate][author]`. */
  readonly url: string;
}

export const populateRoot: PopulatePlace = { path: null, keyPath: null, typePath: null, url: 'populate' };

/** Returns the place of an attribute that is populated at another place. */
export function attributePlace({ path, keyPath, typePath, url }: PopulatePlace, name: string): PopulatePlace {
  return {
    path: childPath(path, name),
    keyPath: childPath(keyPath, name),
    typePath: childPath(typePath, name),
    url: `${url}[${name}]`,
  };
}

/** Returns the place of the option `populate`. */
export function nestedPlace(place: PopulatePlace): PopulatePlace {
  return { ...place, keyPath: childPath(place.keyPath, 'populate'), url: `${place.url}[populate]` };
}

/** Returns the place of a type in the option `on`. */
export function typePlace(place: PopulatePlace, uid: string): PopulatePlace {
  return {
    ...place,
    keyPath: `${place.keyPath}.on[${uid}]`,
    typePath: childPath(place.typePath, uid),
    url: `${place.url}[on][${uid}]`,
  };
}

/** Returns the part of `populate` that holds an option. */
export function optionPart({ path, url }: PopulatePlace, option: string): Part {
  return { param: 'populate', url: `${url}[${option}]`, base: path };
}

/** Returns the part that holds the names populated at a place. They are reported with their whole path. */
export function populatePart({ url }: PopulatePlace): Part {
  return { param: 'populate', url, base: null };
}
