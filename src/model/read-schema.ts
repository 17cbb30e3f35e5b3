import { type Problems, preview } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import { creatorNames, namePattern, systemNames } from './names.ts';
import { isMarkedPrivate, privateAttributeNames } from './privacy.ts';
import { resolveTargets } from './resolve-relations.ts';
import {
  type Attribute,
  administratorType,
  type EntryType,
  fileType,
  routeOf,
  type ScalarType,
  Schema,
  scalarTypes,
} from './schema.ts';

/** A type definition as in Strapi's `schema.json` and exports, limited to the keys that the schema reads. */
export interface TypeDefinition {
  uid: string;
  /** The file of the definition, for messages. */
  location: string;
  component: boolean;
  kind?: string;
  info?: { singularName?: string; pluralName?: string };
  options?: { draftAndPublish?: boolean; populateCreatorFields?: boolean; privateAttributes?: string[] };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, AttributeDefinition>;
}

export type AttributeDefinition = Record<string, unknown> & { type?: string };

const relationKinds = new Set([
  'oneToOne',
  'oneToMany',
  'manyToOne',
  'manyToMany',
  'morphToOne',
  'morphToMany',
  'morphOne',
  'morphMany',
]);

const attributeTypes = [...scalarTypes, 'relation', 'media', 'component', 'dynamiczone'];

const secret = { type: 'string', private: true };

/** The type of administrators. It is the same for every snapshot and replaces the definition in an export. */
const administrators: TypeDefinition = {
  uid: administratorType,
  location: administratorType,
  component: false,
  attributes: {
    firstname: { type: 'string' },
    lastname: { type: 'string' },
    username: { type: 'string' },
    preferedLanguage: { type: 'string' },
    email: { type: 'email', private: true },
    password: { type: 'password' },
    resetPasswordToken: secret,
    registrationToken: secret,
    isActive: { type: 'boolean', private: true },
    blocked: { type: 'boolean', private: true },
    roles: { type: 'relation', relation: 'manyToMany', target: 'admin::role' },
  },
};

/**
 * Builds the schema from type definitions, adds the type of administrators, and resolves the targets of attributes. With
 * `needsInversedBy`, as in Strapi, the inverse side of a relation is only served if its owner names it.
 */
export function readSchema(
  snapshotTypes: readonly TypeDefinition[],
  problems: Problems,
  { needsInversedBy = false } = {},
): Schema {
  const definitions = new Map<string, TypeDefinition>();
  for (const definition of [...snapshotTypes, administrators]) {
    const { uid, location } = definition;
    const first = definitions.get(uid);
    if (!first) definitions.set(uid, definition);
    else if (isEqual(first, definition))
      problems.tolerate('wrong-definition', location, `type ${uid} is defined twice`);
    else problems.add(location, `type ${uid} has two different definitions`);
  }
  const types = Array.from(definitions.values(), (definition) => readType(definition, problems));
  checkRoutes(types, definitions, problems);
  const options = {
    relationOf: (uid: string, name: string) => definitions.get(uid)?.attributes[name]?.relation,
    isOfUnknownType: (uid: string, name: string) => {
      const attributes = definitions.get(uid)?.attributes ?? {};
      return Object.hasOwn(attributes, name) && !attributeTypes.includes(String(attributes[name]?.type));
    },
    locationOf: (uid: string) => definitions.get(uid)!.location,
    needsInversedBy,
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

function readType(definition: TypeDefinition, problems: Problems): EntryType {
  const { uid, location, component } = definition;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const attributes = new Map<string, Attribute>();
  const add = (attribute: Attribute) => attributes.set(attribute.name, attribute);

  add(scalar('id', 'integer'));
  if (!component) add(scalar('documentId', 'string'));
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
  if (!component) {
    for (const name of ['createdAt', 'updatedAt', 'publishedAt']) add(scalar(name, 'datetime', privates.has(name)));
    add({ ...scalar('locale', 'string', !localized), searchable: false });
    add(relation('localizations', uid, !localized || privates.has('localizations')));
    const showsCreators = definition.options?.populateCreatorFields === true;
    for (const name of creatorNames) {
      const isPrivate = !showsCreators || privates.has(name);
      add({ ...relation(name, administratorType, isPrivate), many: false, owner: true });
    }
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

function scalar(name: string, type: ScalarType, isPrivate = false): Attribute & { kind: 'scalar' } {
  return { kind: 'scalar', name, type, private: isPrivate, searchable: true };
}

function relation(name: string, target: string, isPrivate: boolean): Attribute & { kind: 'relation' } {
  return { kind: 'relation', name, target, many: true, inverse: null, owner: false, private: isPrivate };
}

const attributeName = new RegExp(`^${namePattern}$`, 'u');

/** Returns an attribute. Returns null and reports the problem if the definition is unusable. */
function readAttribute(
  name: string,
  raw: AttributeDefinition,
  location: string,
  uid: string,
  problems: Problems,
): Attribute | null {
  if (!attributeName.test(name)) {
    const rule = 'attribute names consist of letters, digits, "_" and "-", and are not numbers or "__proto__"';
    problems.tolerate('wrong-definition', location, `${rule}: ${preview(name)} is not allowed`);
    // an object cannot hold it as an ordinary key
    if (name === '__proto__') return null;
  }
  if (raw === null || typeof raw !== 'object') {
    problems.add(location, `expected an object with a "type", not ${preview(raw)}`);
    return null;
  }
  const isPrivate = isMarkedPrivate(raw, location, problems);
  const text = (key: string): string | null => (typeof raw[key] === 'string' ? (raw[key] as string) : null);
  const required = (key: string): string => {
    const value = text(key);
    if (!value) problems.add(location, `"${key}" is missing`);
    return value ?? '';
  };
  switch (raw.type) {
    case 'media':
      return {
        kind: 'media',
        name,
        private: isPrivate,
        many: raw.multiple === true,
        target: fileType,
        inverse: null,
        owner: true,
      };
    case 'component':
      return {
        kind: 'component',
        name,
        private: isPrivate,
        many: raw.repeatable === true,
        target: required('component'),
        inverse: null,
        owner: true,
      };
    case 'dynamiczone': {
      if (!Array.isArray(raw.components)) problems.add(location, '"components" is missing');
      const components = [raw.components].flat().filter((component) => typeof component === 'string');
      return { kind: 'dynamiczone', name, private: isPrivate, many: true, components, owner: true };
    }
    case 'relation': {
      const kind = required('relation');
      if (kind && !relationKinds.has(kind))
        problems.add(location, `unknown relation ${preview(kind)}${didYouMean(kind, relationKinds)}`);
      const many = kind.endsWith('Many');
      if (kind.startsWith('morphTo')) {
        const derived = uid === fileType && name === 'related';
        return { kind: 'polymorphic', name, private: isPrivate, many, components: null, owner: !derived };
      }
      const derivedFrom = kind.startsWith('morph') ? required('morphBy') : text('mappedBy');
      const target = required('target');
      const isAdministrator = target === administratorType;
      return {
        kind: 'relation',
        name,
        // administrators are the only type of the admin panel in the schema
        private: isPrivate || (target.startsWith('admin::') && !isAdministrator),
        many,
        target,
        inverse: isAdministrator ? null : (derivedFrom ?? text('inversedBy')),
        owner: isAdministrator || derivedFrom === null,
        fromPolymorphic: kind.startsWith('morph'),
      };
    }
    default: {
      const isKnown = scalarTypes.includes(raw.type as ScalarType);
      if (!isKnown) problems.tolerate('unknown-attribute-type', location, unknownType(raw.type));
      const type = isKnown ? (raw.type as ScalarType) : 'json';
      const values = Array.isArray(raw.enum) ? raw.enum.map(String) : undefined;
      if (type === 'enumeration' && !values) problems.tolerate('wrong-definition', location, '"enum" is missing');
      return {
        kind: 'scalar',
        name,
        type,
        private: isPrivate || type === 'password',
        searchable: raw.searchable !== false,
        values,
      };
    }
  }
}

function unknownType(type: unknown): string {
  if (type === undefined) return '"type" is missing';
  if (type !== 'customField')
    return `unknown attribute type ${preview(type)}${didYouMean(String(type), attributeTypes)}`;
  return 'unknown attribute type "customField": use the type of the stored value, such as "string"';
}
