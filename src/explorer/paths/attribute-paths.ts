/** The paths of filters, sorts and facets: relations, then an attribute. */
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import { isLink, labelOf, targetOf } from '../state/schema-index.ts';

/** One name of a path, and the type whose attribute it is. */
export interface PathStep {
  readonly type: TypeDescription;
  readonly attribute: AttributeDescription;
}

/** Returns the steps of a path that ends at a scalar, or null if the schema has no such path. */
export function stepsOf(schema: SchemaDescription, type: TypeDescription, path: readonly string[]): PathStep[] | null {
  const steps: PathStep[] = [];
  let at: TypeDescription | null = type;
  for (const name of path) {
    const attribute: AttributeDescription | undefined = at?.attributes.find((each) => each.name === name);
    if (!at || !attribute?.isFiltered) return null;
    steps.push({ type: at, attribute });
    at = isLink(attribute) ? targetOf(schema, attribute) : null;
  }
  const last = steps.at(-1);
  return last && !isLink(last.attribute) ? steps : null;
}

/** Returns the attributes of a type that a path can name or lead through. */
export function choicesOf({ attributes }: TypeDescription): AttributeDescription[] {
  return attributes.filter(({ isFiltered }) => isFiltered);
}

/** Completes a path that may end at a relation: with the name or title of its target. Null if there is none. */
export function completePath(
  schema: SchemaDescription,
  type: TypeDescription,
  path: readonly string[],
): readonly string[] | null {
  if (stepsOf(schema, type, path)) return path;
  const before = path.slice(0, -1);
  const from = before.length === 0 ? type : targetAt(schema, type, before);
  const link = from?.attributes.find(({ name }) => name === path.at(-1));
  const target = link ? targetOf(schema, link) : null;
  const complete = target && [...path, labelOf(target).name];
  return complete && stepsOf(schema, type, complete) ? complete : null;
}

function targetAt(schema: SchemaDescription, type: TypeDescription, path: readonly string[]): TypeDescription | null {
  return path.reduce<TypeDescription | null>((at, name) => {
    const link = at?.attributes.find((each) => each.name === name);
    return link ? targetOf(schema, link) : null;
  }, type);
}

/** Returns the paths whose values are worth counting: enumerations, booleans, and the names of related entries. */
export function facetPaths(schema: SchemaDescription, type: TypeDescription): string[] {
  const own = type.attributes.filter((each) => /^(?:enumeration|boolean)$/.test(each.type));
  const links = type.attributes.filter((each) => each.type === 'relation' && each.name !== 'localizations');
  const related = links.flatMap(({ name }) => completePath(schema, type, [name])?.join('.') ?? []);
  return [...own.map(({ name }) => name), ...related];
}
