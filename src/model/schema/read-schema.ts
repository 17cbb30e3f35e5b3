import { type Problems, preview } from '../../core/problems.ts';
import { privateAttributeNames } from './privacy.ts';
import { isAttributeType, readAttribute } from './read-attribute.ts';
import { resolveTargets } from './resolve-relations.ts';
import {
  type Attribute,
  administratorType,
  type EntryType,
  type RelationAttribute,
  routeOf,
  type ScalarAttribute,
  type ScalarType,
  Schema,
} from './schema.ts';
import { administrators, creatorNames, systemNames, type TypeDefinition, timestampNames } from './type-definition.ts';

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

/** Returns a type with the attributes of its definition and those that every type has. */
function readType(definition: TypeDefinition, problems: Problems): EntryType {
  const { uid, location, component } = definition;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const attributes = new Map<string, Attribute>();
  const add = (attribute: Attribute) => attributes.set(attribute.name, attribute);

  const { first, last } = systemAttributes(uid, component);
  for (const attribute of first) add(attribute);
  const names = Object.keys(definition.attributes);
  const privates = privateAttributeNames(definition, new Set(component ? names : [...names, ...systemNames]), problems);
  if (localized && privates.has('locale')) {
    problems.add(`${location}, attribute locale`, '"privateAttributes" cannot hide the locale of a localized type');
  }
  for (const [name, raw] of Object.entries(definition.attributes)) {
    if (name === 'id' || (!component && systemNames.has(name))) continue;
    const attribute = readAttribute(name, raw, `${location}, attribute ${name}`, uid, problems);
    if (attribute) add(privates.has(name) ? { ...attribute, private: true } : attribute);
  }
  const showsCreators = definition.options?.populateCreatorFields === true;
  for (const attribute of last) {
    const { name } = attribute;
    const isUnused = creatorNames.has(name) ? !showsCreators : localeNames.has(name) && !localized;
    add({ ...attribute, private: isUnused || (name !== 'locale' && privates.has(name)) });
  }
  const bareName = uid.slice(uid.lastIndexOf('.') + 1);
  return {
    uid,
    kind: component ? 'component' : definition.kind === 'singleType' ? 'singleType' : 'collectionType',
    singularName: definition.info?.singularName ?? bareName,
    pluralName: definition.info?.pluralName ?? `${bareName}s`,
    draftAndPublish: definition.options?.draftAndPublish === true,
    localized,
    attributes,
  };
}

/** The attributes of every type, without those that a definition hides: before and after the ones of its definition. */
export function systemAttributes(uid: string, isComponent: boolean): Record<'first' | 'last', Attribute[]> {
  if (isComponent) return { first: [scalar('id', 'integer')], last: [] };
  return {
    first: [scalar('id', 'integer'), scalar('documentId', 'string')],
    last: [
      ...Array.from(timestampNames, (name) => scalar(name, 'datetime')),
      { ...scalar('locale', 'string'), searchable: false },
      { ...relation('localizations', uid), many: true, owner: false },
      ...Array.from(creatorNames, (name) => relation(name, administratorType)),
    ],
  };
}

const localeNames: ReadonlySet<string> = new Set(['locale', 'localizations']);

function scalar(name: string, type: ScalarType): ScalarAttribute {
  return { kind: 'scalar', name, type, private: false, searchable: true };
}

function relation(name: string, target: string): RelationAttribute {
  return { kind: 'relation', name, target, many: false, inverse: null, owner: true, private: false };
}
