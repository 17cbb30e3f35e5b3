/** The schema as a caller sees it: the home page, types for TypeScript and OpenAPI are made from it. */
import type { PermissionSet } from '../model/access/permissions.ts';
import {
  type Attribute,
  administratorType,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type ScalarType,
  type Schema,
} from '../model/schema/schema.ts';
import type { AttributeDefinition, SnapshotType } from '../model/schema/type-definition.ts';
import { comparisonKindOf } from '../model/schema/value-types.ts';
import type { FeatureName } from '../model/settings/features.ts';
import { isAccessible } from '../query/bind/context.ts';
import { exposesRoleMembers, isCountable } from '../query/bind/populate/populated.ts';
import { type OperatorName, operators } from '../query/operators.ts';
import type { FilterPolicy } from '../query/policies.ts';

/** One attribute that a caller may read. */
export interface AttributeDescription {
  readonly name: string;
  readonly type: ScalarType | LinkAttribute['kind'];
  /** Published entries have a value. Drafts may lack it, and so may entries that are older than the rule. */
  readonly required: boolean;
  /** Each locale has a value of its own. */
  readonly localized: boolean;
  /** The values of an enumeration. */
  readonly values: readonly string[] | null;
  /** Whether a link leads to a list. */
  readonly many: boolean;
  /** uids of the types that a link leads to. Empty for scalars, and for links to any content type. */
  readonly targets: readonly string[];
  /** The operators that fit a scalar. Empty for links. */
  readonly operators: readonly OperatorName[];
  /** Whether filters and sorts may name the attribute, or lead through it. */
  readonly isFiltered: boolean;
  /** Whether `populate` may ask for the number of related entries. */
  readonly isCounted: boolean;
}

/** A content type or component of which a caller may read entries. */
export interface TypeDescription {
  readonly uid: string;
  readonly kind: EntryType['kind'];
  readonly singularName: string;
  readonly pluralName: string;
  readonly displayName: string;
  readonly description: string;
  /** The path of its route below the prefix. Null for components, and for types that are only reached by relations. */
  readonly route: string | null;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly attributes: readonly AttributeDescription[];
}

/** A route that a caller may request. */
export interface RouteDescription {
  /** Below the prefix, as a template: `articles/:documentId`. */
  readonly path: string;
  /** The uid of the type that it reads. Null for descriptions of types. */
  readonly uid: string | null;
  /** The permission that the caller needs. */
  readonly action: string;
  /**
   * `page`: one page in an envelope; `list`: a list without one; `document`, `single`: one entry in an envelope; `entry`:
   * one entry; `me`: the caller; `count`: a number; `schemas`, `schema`: types or one type.
   */
  readonly kind: 'page' | 'list' | 'document' | 'single' | 'entry' | 'me' | 'count' | 'schemas' | 'schema';
  /** The reply is the value of this member of an object. */
  readonly member: string | null;
  /** The parameters that have an effect: those of every query, `populate` alone, or none. */
  readonly reads: 'query' | 'populate' | 'nothing';
  /** A missing entry is a 204 without a body. */
  readonly mayBeEmpty: boolean;
}

export interface SchemaDescription {
  readonly dialect: 'document' | 'strapi';
  readonly defaultLocale: string;
  /** In alphabetical order. */
  readonly locales: readonly string[];
  /** Whether the caller may ask for drafts. */
  readonly readsDrafts: boolean;
  /** Whether lists in pages take `facets`. */
  readonly hasFacets: boolean;
  /** What queries may ask for beyond Strapi. */
  readonly features: readonly FeatureName[];
  /** In the order of their uids. */
  readonly types: readonly TypeDescription[];
  /** In the order of their paths. */
  readonly routes: readonly RouteDescription[];
}

/** What a description is made of. */
export interface DescribedContent {
  readonly schema: Schema;
  /** The types as they are written. */
  readonly definitions: readonly SnapshotType[];
  readonly dialect: SchemaDescription['dialect'];
  /** Whether a Strapi wrote the entries, so that they have the times of their changes. */
  readonly isOfStrapi: boolean;
  readonly filters: FilterPolicy;
  readonly hasFacets: boolean;
  readonly features: readonly FeatureName[];
  readonly defaultLocale: string;
  readonly locales: ReadonlySet<string>;
  /** All routes, whatever the caller may request. */
  readonly routes: readonly RouteDescription[];
}

/** The kinds of routes that read the entries of a type as a whole. */
const ownKinds: ReadonlySet<RouteDescription['kind']> = new Set(['page', 'list', 'single']);

/** Returns what a caller may read. Types that only unreadable attributes lead to are left out. */
export function describeSchema(content: DescribedContent, permissions: PermissionSet): SchemaDescription {
  const { dialect, defaultLocale, locales, hasFacets, features } = content;
  const definitions = new Map(content.definitions.map((definition) => [definition.uid, definition]));
  const routes = content.routes.filter(({ action }) => permissions.allows(action));
  const paths = new Map(routes.flatMap(({ uid, kind, path }) => (ownKinds.has(kind) ? [[uid, path]] : [])));
  const types = readableTypes(content, permissions).map((type) => {
    return describeType(type, definitions.get(type.uid), paths.get(type.uid) ?? null, content, permissions);
  });
  return {
    dialect,
    defaultLocale,
    locales: [...locales].sort(),
    readsDrafts: dialect === 'strapi' || permissions.readsDrafts,
    hasFacets,
    features,
    types: types.sort((a, b) => (a.uid < b.uid ? -1 : 1)),
    routes: routes.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Returns the types with a route that the caller may request, and all that they lead to. */
function readableTypes({ schema, routes }: DescribedContent, permissions: PermissionSet): EntryType[] {
  const found = new Set<EntryType>();
  const add = (type: EntryType | undefined) => {
    if (!type || found.has(type)) return;
    found.add(type);
    for (const attribute of readableAttributes(type, schema, permissions)) {
      for (const uid of targetsOf(attribute)) add(schema.types.get(uid));
    }
  };
  for (const { uid, action } of routes) {
    if (uid !== null && permissions.allows(action)) add(schema.types.get(uid));
  }
  return [...found];
}

function readableAttributes(type: EntryType, schema: Schema, permissions: PermissionSet): Attribute[] {
  return Array.from(type.attributes.values()).filter((each) => isAccessible({ schema, permissions }, each));
}

function targetsOf(attribute: Attribute): readonly string[] {
  if (isScalar(attribute)) return [];
  return isPolymorphic(attribute) ? (attribute.components ?? []) : [attribute.target];
}

function describeType(
  type: EntryType,
  definition: SnapshotType | undefined,
  route: string | null,
  content: DescribedContent,
  permissions: PermissionSet,
): TypeDescription {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized } = type;
  const { displayName, description } = definition?.info ?? {};
  const attributes = readableAttributes(type, content.schema, permissions)
    .filter((attribute) => isScalar(attribute) || !exposesRoleMembers(type, attribute))
    .map((attribute) => describeAttribute(type, attribute, definition?.attributes[attribute.name], content));
  return {
    uid,
    kind,
    singularName,
    pluralName,
    displayName: displayName ?? singularName,
    description: description ?? '',
    route,
    draftAndPublish,
    localized,
    attributes,
  };
}

function describeAttribute(
  type: EntryType,
  attribute: Attribute,
  definition: AttributeDefinition | undefined,
  { filters, isOfStrapi }: DescribedContent,
): AttributeDescription {
  const { name } = attribute;
  const common = {
    name,
    required: definition?.required === true || isAlwaysSet(type, name, isOfStrapi),
    localized: type.localized && isLocalizedAttribute(definition),
    targets: targetsOf(attribute),
  };
  if (isScalar(attribute)) {
    const { type: scalar, values = null } = attribute;
    const fits = (operator: OperatorName) => {
      const { comparison } = operators[operator];
      const comparesAll = comparisonKindOf(scalar) !== 'presence' || comparison === 'isNull';
      return comparesAll || filters.comparesJson(attribute, comparison);
    };
    const fitting = operatorsInOrder.filter(fits);
    return { ...common, type: scalar, values, many: false, operators: fitting, isFiltered: true, isCounted: false };
  }
  const { kind, many } = attribute;
  const isFiltered = !isPolymorphic(attribute) && filters.leadsThrough(attribute);
  const isCounted = isPolymorphic(attribute) ? kind === 'polymorphic' : isCountable(attribute);
  return { ...common, type: kind, values: null, many, operators: [], isFiltered, isCounted };
}

const operatorsInOrder = Object.keys(operators) as OperatorName[];

/** Whether published entries have a system attribute. A snapshot that people write may leave out the times. */
function isAlwaysSet(type: EntryType, name: string, isOfStrapi: boolean): boolean {
  if (name === 'id' || name === 'documentId') return true;
  if (type.kind === 'component' || type.uid === administratorType) return false;
  if (name === 'locale') return type.localized;
  if (name === 'publishedAt') return type.draftAndPublish;
  return isOfStrapi && (name === 'createdAt' || name === 'updatedAt');
}

function isLocalizedAttribute(definition: AttributeDefinition | undefined): boolean {
  const options = definition?.pluginOptions as { i18n?: { localized?: unknown } } | undefined;
  return options?.i18n?.localized === true;
}
