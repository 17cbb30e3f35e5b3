/** Reads the definition of one attribute. */
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { isMarkedPrivate } from './privacy.ts';
import {
  type Attribute,
  administratorType,
  fileType,
  isAdministration,
  type PolymorphicAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type ScalarType,
  scalarTypes,
} from './schema.ts';
import { type AttributeDefinition, isAttributeName } from './type-definition.ts';

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

/** A definition, and where its problems are reported. */
interface Source {
  readonly name: string;
  readonly raw: AttributeDefinition;
  readonly isPrivate: boolean;
  readonly location: string;
  readonly problems: Problems;
}

/** Returns an attribute of the type `uid`. Returns null and reports the problem if the definition is unusable. */
export function readAttribute(
  name: string,
  raw: AttributeDefinition,
  location: string,
  uid: string,
  problems: Problems,
): Attribute | null {
  if (!isAttributeName(name)) {
    const rule = 'attribute names consist of letters, digits, "_" and "-", and are not numbers or "__proto__"';
    problems.tolerate('wrong-definition', location, `${rule}: ${preview(name)} is not allowed`);
    // an object cannot hold it as an ordinary key
    if (name === '__proto__') return null;
  }
  if (raw === null || typeof raw !== 'object') {
    problems.add(location, `expected an object with a "type", not ${preview(raw)}`);
    return null;
  }
  const source = { name, raw, isPrivate: isMarkedPrivate(raw, location, problems), location, problems };
  switch (raw.type) {
    case 'media':
      return linkAttribute(source, 'media', raw.multiple === true, fileType);
    case 'component':
      return linkAttribute(source, 'component', raw.repeatable === true, requiredText(source, 'component'));
    case 'dynamiczone':
      return readDynamicZone(source);
    case 'relation':
      return readRelation(source, uid);
    default:
      return readScalar(source);
  }
}

export function isAttributeType(type: unknown): boolean {
  return attributeTypes.includes(String(type));
}

function linkAttribute(
  { name, isPrivate }: Source,
  kind: 'media' | 'component',
  many: boolean,
  target: string,
): RelationAttribute {
  return { kind, name, private: isPrivate, many, target, inverse: null, owner: true };
}

function readDynamicZone({ name, raw, isPrivate, location, problems }: Source): PolymorphicAttribute {
  if (!Array.isArray(raw.components)) problems.add(location, '"components" is missing');
  const components = [raw.components].flat().filter((component) => typeof component === 'string');
  return { kind: 'dynamiczone', name, private: isPrivate, many: true, components, owner: true };
}

function readRelation(source: Source, uid: string): RelationAttribute | PolymorphicAttribute {
  const { name, isPrivate, location, problems } = source;
  const kind = requiredText(source, 'relation');
  if (kind && !relationKinds.has(kind)) {
    problems.add(location, `unknown relation ${preview(kind)}${didYouMean(kind, relationKinds)}`);
  }
  const many = kind.endsWith('Many');
  if (kind.startsWith('morphTo')) {
    const isDerived = uid === fileType && name === 'related';
    return { kind: 'polymorphic', name, private: isPrivate, many, components: null, owner: !isDerived };
  }
  const derivedFrom = kind.startsWith('morph') ? requiredText(source, 'morphBy') : readText(source, 'mappedBy');
  const target = requiredText(source, 'target');
  const isAdministrator = target === administratorType;
  return {
    kind: 'relation',
    name,
    // administrators are the only type of the admin panel in the schema
    private: isPrivate || (isAdministration(target) && !isAdministrator),
    many,
    target,
    inverse: isAdministrator ? null : (derivedFrom ?? readText(source, 'inversedBy')),
    owner: isAdministrator || derivedFrom === null,
    fromPolymorphic: kind.startsWith('morph'),
  };
}

function readScalar({ name, raw, isPrivate, location, problems }: Source): ScalarAttribute {
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

function unknownType(type: unknown): string {
  if (type === undefined) return '"type" is missing';
  if (type !== 'customField') {
    return `unknown attribute type ${preview(type)}${didYouMean(String(type), attributeTypes)}`;
  }
  return 'unknown attribute type "customField": use the type of the stored value, such as "string"';
}

function readText({ raw }: Source, key: string): string | null {
  const value = raw[key];
  return typeof value === 'string' ? value : null;
}

/** Returns the text of a key. Returns an empty string and reports the problem if it is missing. */
function requiredText(source: Source, key: string): string {
  const text = readText(source, key);
  if (!text) source.problems.add(source.location, `"${key}" is missing`);
  return text ?? '';
}
