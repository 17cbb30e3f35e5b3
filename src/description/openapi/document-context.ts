import { attributesInOrder, isLink } from '../attributes.ts';
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../describe-schema.ts';
import { Components } from './components.ts';

/** What the parts of a document are made with. */
export interface DocumentContext {
  readonly schema: SchemaDescription;
  readonly components: Components;
  /** Content of Strapi 4, where an empty list of related entries may be null. */
  readonly isNested: boolean;
  type(uid: string): TypeDescription;
}

/** `given` may list types and routes in any order. */
export function documentContext(given: SchemaDescription, isNested: boolean): DocumentContext {
  const types = given.types.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const routes = given.routes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const byUid = new Map(types.map((type) => [type.uid, type]));
  return {
    schema: { ...given, types, routes },
    components: new Components(types),
    isNested,
    type: (uid) => byUid.get(uid)!,
  };
}

export function scalarsOf(type: TypeDescription): AttributeDescription[] {
  return attributesInOrder(type).filter((attribute) => !isLink(attribute));
}

export function linksOf(type: TypeDescription): AttributeDescription[] {
  return attributesInOrder(type).filter(isLink);
}

/** Returns the links through which filters and sorts may lead. */
export function pathsOf(type: TypeDescription): AttributeDescription[] {
  return linksOf(type).filter(({ isFiltered }) => isFiltered);
}
