import { type Problems, preview } from '../../core/problems.ts';
import { isAttributeType } from './read-attribute.ts';
import { readType } from './read-type.ts';
import { resolveTargets } from './resolve-relations.ts';
import { type EntryType, routeOf, Schema } from './schema.ts';
import { administrators, type TypeDefinition } from './type-definition.ts';

interface SchemaOptions {
  readonly needsInversedBy?: boolean;
  readonly isUnreadable?: (uid: string) => boolean;
}

/**
 * Builds the schema from type definitions, adds the type of administrators, and resolves the targets of attributes.
 * With `needsInversedBy`, as in Strapi, the inverse side of a relation is only served if its owner names it. A target is
 * not reported as missing if `isUnreadable` says that its definition has been reported.
 */
export function readSchema(
  snapshotTypes: readonly TypeDefinition[],
  problems: Problems,
  { needsInversedBy = false, isUnreadable = () => false }: SchemaOptions = {},
): Schema {
  const definitions = new Map<string, TypeDefinition>();
  for (const definition of [...snapshotTypes, administrators]) {
    const { uid, location } = definition;
    const first = definitions.get(uid);
    if (!first) definitions.set(uid, definition);
    else if (isEqual(first, definition)) {
      problems.tolerate('wrong-definition', location, `type ${uid} is defined twice`);
    } else problems.add(location, `type ${uid} has two different definitions`);
  }
  const types = Array.from(definitions.values(), (definition) => readType(definition, problems));
  checkRoutes(types, definitions, problems);
  const options = {
    relationOf: (uid: string, name: string) => definitions.get(uid)?.attributes[name]?.relation,
    isOfUnknownType: (uid: string, name: string) => {
      const attributes = definitions.get(uid)?.attributes ?? {};
      return Object.hasOwn(attributes, name) && !isAttributeType(attributes[name]?.type);
    },
    locationOf: (uid: string) => definitions.get(uid)!.location,
    needsInversedBy,
    isUnreadable,
  };
  return new Schema(resolveTargets(types, options, problems));
}

function isEqual({ location: _, ...first }: TypeDefinition, { location: __, ...second }: TypeDefinition): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Reports invalid and duplicate routes. Routes are case-insensitive. */
function checkRoutes(
  types: readonly EntryType[],
  definitions: ReadonlyMap<string, TypeDefinition>,
  problems: Problems,
): void {
  const taken = new Map<string, string>();
  for (const type of types) {
    const { uid } = type;
    const { location } = definitions.get(uid)!;
    if (!uid.startsWith('api::') || type.kind === 'component') continue;
    const route = routeOf(type);
    if (route === '' || route.includes('/')) {
      const key = type.kind === 'singleType' ? 'singularName' : 'pluralName';
      problems.add(location, `"${key}" must be a single path segment, not ${preview(route)}`);
    }
    const other = taken.get(route.toLowerCase());
    if (other === undefined) taken.set(route.toLowerCase(), uid);
    else problems.add(location, `${uid} and ${other} have the same route ${preview(route)}`);
  }
}
