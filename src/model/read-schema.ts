import { type Problems, preview } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import { creatorNames, namePattern, systemNames } from './names.ts';
import { isMarkedPrivate, listedAsPrivate } from './privacy.ts';
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

/** A type as Strapi's `schema.json` and its export write it. Keys that do not matter here are left out. */
export interface TypeDefinition {
  uid: string;
  /** The file that it stands in, for messages. */
  place: string;
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

/** As in every snapshot, whatever an export says of it. */
const administrators: TypeDefinition = {
  uid: administratorType,
  place: administratorType,
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
 * Builds the schema, administrators in it, and checks that all names in it lead somewhere. `needsInversedBy`: a
 * relation shows from its far side only if its owner names that side, as in Strapi.
 */
export function readSchema(
  written: readonly TypeDefinition[],
  problems: Problems,
  { needsInversedBy = false } = {},
): Schema {
  const definitions = new Map<string, TypeDefinition>();
  for (const definition of [...written, administrators]) {
    const { uid, place } = definition;
    const first = definitions.get(uid);
    if (!first) definitions.set(uid, definition);
    else if (isSame(first, definition)) problems.tolerate('wrong-definition', place, `type ${uid} is defined twice`);
    else problems.add(place, `type ${uid} is defined twice, and differently`);
  }
  const types = Array.from(definitions.values(), (definition) => readType(definition, problems));
  checkRoutes(types, definitions, problems);
  const options = {
    relationOf: (uid: string, name: string) => definitions.get(uid)?.attributes[name]?.relation,
    isOfUnknownType: (uid: string, name: string) => {
      const attributes = definitions.get(uid)?.attributes ?? {};
      return Object.hasOwn(attributes, name) && !attributeTypes.includes(String(attributes[name]?.type));
    },
    placeOf: (uid: string) => definitions.get(uid)!.place,
    needsInversedBy,
  };
  return new Schema(resolveTargets(types, options, problems));
}

function isSame({ place: _, ...first }: TypeDefinition, { place: __, ...second }: TypeDefinition): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Routes are found whatever the case, so of two types whose names differ in it only one can be read. */
function checkRoutes(
  types: readonly EntryType[],
  definitions: ReadonlyMap<string, TypeDefinition>,
  problems: Problems,
): void {
  const taken = new Map<string, string>();
  for (const type of types) {
    const { uid } = type;
    const { place } = definitions.get(uid)!;
    if (!uid.startsWith('api::') || type.kind === 'component') continue;
    const route = routeOf(type);
    if (route === '' || route.includes('/')) {
      const key = type.kind === 'singleType' ? 'singularName' : 'pluralName';
      problems.add(place, `"${key}" is to be one part of a path, not ${preview(route)}`);
    }
    const other = taken.get(route.toLowerCase());
    if (other === undefined) taken.set(route.toLowerCase(), uid);
    else problems.add(place, `the route ${preview(route)} of ${uid} is also that of ${other}`);
  }
}

function readType(definition: TypeDefinition, problems: Problems): EntryType {
  const { uid, place, component } = definition;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const attributes = new Map<string, Attribute>();
  const put = (attribute: Attribute) => attributes.set(attribute.name, attribute);

  put(scalar('id', 'integer'));
  if (!component) put(scalar('documentId', 'string'));
  const names = Object.keys(definition.attributes);
  const privates = listedAsPrivate(definition, new Set(component ? names : [...names, ...systemNames]), problems);
  if (localized && privates.has('locale')) {
    problems.add(`${place}, attribute locale`, '"privateAttributes" cannot hide the locale of a localized type');
  }
  for (const [name, raw] of Object.entries(definition.attributes)) {
    if (name === 'id' || (!component && systemNames.has(name))) continue;
    const attribute = readAttribute(name, raw, `${place}, attribute ${name}`, uid, problems);
    if (attribute) put(privates.has(name) ? { ...attribute, private: true } : attribute);
  }
  if (!component) {
    for (const name of ['createdAt', 'updatedAt', 'publishedAt']) put(scalar(name, 'datetime', privates.has(name)));
    put({ ...scalar('locale', 'string', !localized), searchable: false });
    put(relation('localizations', uid, !localized || privates.has('localizations')));
    const showsCreators = definition.options?.populateCreatorFields === true;
    for (const name of creatorNames) {
      const isPrivate = !showsCreators || privates.has(name);
      put({ ...relation(name, administratorType, isPrivate), many: false, owner: true });
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

/** One attribute, or null after its problem has been noted. */
function readAttribute(
  name: string,
  raw: AttributeDefinition,
  place: string,
  uid: string,
  problems: Problems,
): Attribute | null {
  if (!attributeName.test(name)) {
    const rule = 'the name of an attribute has letters, digits, "_" and "-", is not a number and not "__proto__"';
    problems.tolerate('wrong-definition', place, `${rule}: ${preview(name)} is not allowed`);
    // JavaScript does not store it like other names
    if (name === '__proto__') return null;
  }
  if (raw === null || typeof raw !== 'object') {
    problems.add(place, `an object with a type is expected, not ${preview(raw)}`);
    return null;
  }
  const isPrivate = isMarkedPrivate(raw, place, problems);
  const text = (key: string): string | null => (typeof raw[key] === 'string' ? (raw[key] as string) : null);
  const required = (key: string): string => {
    const value = text(key);
    if (!value) problems.add(place, `"${key}" is missing`);
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
      if (!Array.isArray(raw.components)) problems.add(place, '"components" is missing');
      const components = [raw.components].flat().filter((component) => typeof component === 'string');
      return { kind: 'dynamiczone', name, private: isPrivate, many: true, components, owner: true };
    }
    case 'relation': {
      const kind = required('relation');
      if (kind && !relationKinds.has(kind))
        problems.add(place, `unknown relation ${preview(kind)}${didYouMean(kind, relationKinds)}`);
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
        // of administration only administrators are known
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
      if (!isKnown) problems.tolerate('unknown-attribute-type', place, unknownType(raw.type));
      const type = isKnown ? (raw.type as ScalarType) : 'json';
      const values = Array.isArray(raw.enum) ? raw.enum.map(String) : undefined;
      if (type === 'enumeration' && !values) problems.tolerate('wrong-definition', place, '"enum" is missing');
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
  return 'a custom field: write the type of what it stores, such as "string", not "customField"';
}
