/** Writes a described schema as the types that `lectern/client` reads. */
import { SnapshotError } from '../core/errors.ts';
import type { ScalarType } from '../model/schema/schema.ts';
import { attributesInOrder, isLink } from './attributes.ts';
import type { AttributeDescription, SchemaDescription, TypeDescription } from './describe-schema.ts';
import { typeNameOf } from './type-names.ts';

/** How `lectern/client` names the values of a type. Enumerations name their values, too. */
const scalarNames: Readonly<Record<Exclude<ScalarType, 'enumeration'>, string>> = {
  string: 'Text',
  text: 'Text',
  richtext: 'Text',
  email: 'Text',
  uid: 'Text',
  password: 'Text',
  blocks: 'Blocks',
  date: 'Day',
  time: 'Time',
  datetime: 'DateTime',
  timestamp: 'BigInteger',
  biginteger: 'BigInteger',
  integer: 'Numeric',
  float: 'Numeric',
  decimal: 'Numeric',
  boolean: 'Flag',
  json: 'Json',
  array: 'List',
};

/** How every file begins. */
export const typesHead = `// Written by \`lectern types\`: changes are lost when it is written again.
import type * as lectern from 'lectern/client';
`;

/**
 * Returns a TypeScript file: an interface for each content type and component, `Schema` with those that have a route, and
 * `TypesByUid` with all content types. It is the same in whatever order types and attributes are defined. Throws a
 * SnapshotError if two types would get the same name.
 */
export function typesOf(schema: SchemaDescription): string {
  const names = typeNames(schema.types);
  const interfaces = schema.types.map((type) => interfaceOf(type, schema, names));
  const routes = schema.types.flatMap(({ route, uid }) => (route === null ? [] : [[route, names.get(uid)!] as const]));
  const uids = schema.types.flatMap(({ kind, uid }) => (kind === 'component' ? [] : [[uid, names.get(uid)!] as const]));
  return [
    typesHead,
    ...interfaces,
    mapOf('Schema', 'Content types by the name of their route.', routes),
    mapOf('TypesByUid', 'Content types by their uid, for relations that lead to any of them.', uids),
  ].join('\n');
}

function mapOf(name: string, comment: string, members: readonly (readonly [key: string, type: string])[]): string {
  const lines = [...members].sort(byName).map(([key, type]) => `  ${keyOf(key)}: ${type};\n`);
  return `/** ${comment} */\nexport interface ${name} {\n${lines.join('')}}\n`;
}

function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : 1;
}

/** Returns the name of each type's interface by its uid. */
function typeNames(types: readonly TypeDescription[]): ReadonlyMap<string, string> {
  const owners = new Map([
    ['Schema', 'the map of all routes'],
    ['TypesByUid', 'the map of all content types'],
  ]);
  const problems: string[] = [];
  const names = new Map<string, string>();
  for (const type of types) {
    const name = typeNameOf(type);
    const owner = owners.get(name);
    if (owner !== undefined) problems.push(`${type.uid}: its TypeScript name ${name} is that of ${owner}, too`);
    owners.set(name, type.uid);
    names.set(type.uid, name);
  }
  if (problems.length > 0) throw new SnapshotError(problems);
  return names;
}

function interfaceOf(
  type: TypeDescription,
  { locales, readsDrafts, dialect }: SchemaDescription,
  names: ReadonlyMap<string, string>,
): string {
  const { uid, kind, displayName, description, route } = type;
  const place = route === null ? uid : `${uid}, at \`/${route}\``;
  const about = [`${displayName} (${place})`, description].filter((part) => part !== '').join('. ');
  const written = attributesInOrder(type).map((attribute) => {
    const text = `    ${keyOf(attribute.name)}: ${attributeType(type, attribute, dialect, names)};\n`;
    return { section: sectionOf(attribute), text };
  });
  const sections = ['scalars', 'links', 'unfiltered'].map((name) => {
    const members = written.filter(({ section }) => section === name).map(({ text }) => text);
    return members.length === 0 ? `  ${name}: Record<never, never>;\n` : `  ${name}: {\n${members.join('')}  };\n`;
  });
  return `/** ${commentOf(about)} */
export interface ${names.get(uid)} {
  kind: ${literal(kind)};
  locale: ${unionOf(locales)};
  status: ${readsDrafts ? "'draft' | 'published'" : "'published'"};
${dialect === 'strapi' && uid.startsWith('plugin::') ? '  showsDrafts: true;\n' : ''}${sections.join('')}}
`;
}

/** The member of an interface that holds an attribute. */
function sectionOf(attribute: AttributeDescription): string {
  if (!isLink(attribute)) return 'scalars';
  return attribute.isFiltered ? 'links' : 'unfiltered';
}

function attributeType(
  type: TypeDescription,
  attribute: AttributeDescription,
  dialect: SchemaDescription['dialect'],
  names: ReadonlyMap<string, string>,
): string {
  const { name, many, targets } = attribute;
  switch (attribute.type) {
    case 'dynamiczone':
      return `lectern.Zone<${zoneOf(targets, names)}>`;
    case 'polymorphic':
      return many ? 'lectern.ManyOfAny<TypesByUid>' : 'lectern.OneOfAny<TypesByUid>';
    case 'relation':
    case 'media':
    case 'component': {
      const options = [
        ...(attribute.isCounted ? ['count'] : []),
        ...(many && attribute.type === 'relation' && dialect === 'document' ? ['wrap'] : []),
      ];
      const target = names.get(targets[0]);
      const presence = attribute.type === 'component' && attribute.required && !many ? [literal('required')] : [];
      const args = [target, ...(options.length + presence.length > 0 ? [unionOf(options)] : []), ...presence];
      return `lectern.${many ? 'Many' : 'One'}<${args.join(', ')}>`;
    }
    default: {
      const isAlways = name === 'id' || (name === 'documentId' && type.kind !== 'component');
      const presence = isAlways ? [literal('always')] : attribute.required ? [literal('required')] : [];
      const isEnumeration = attribute.type === 'enumeration' && attribute.values !== null;
      const args = isEnumeration ? [unionOf([...attribute.values!].sort()), ...presence] : presence;
      const scalar =
        attribute.type === 'enumeration' ? (isEnumeration ? 'Enumeration' : 'Text') : scalarNames[attribute.type];
      return `lectern.${scalar}${args.length > 0 ? `<${args.join(', ')}>` : ''}`;
    }
  }
}

/** Returns the components of a zone by their uids, one a line. */
function zoneOf(targets: readonly string[], names: ReadonlyMap<string, string>): string {
  if (targets.length === 0) return 'Record<never, never>';
  const members = [...targets].sort().map((uid) => `      ${literal(uid)}: ${names.get(uid)};\n`);
  return `{\n${members.join('')}    }`;
}

function unionOf(values: readonly string[]): string {
  return values.length === 0 ? 'never' : values.map(literal).join(' | ');
}

/** Returns a text as a literal in single quotes. */
function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`)}'`;
}

function keyOf(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : literal(name);
}

/** Returns a text for a comment in one line. */
function commentOf(text: string): string {
  return text.replaceAll('*/', '*\u200b/').replace(/\s+/g, ' ').trim();
}
