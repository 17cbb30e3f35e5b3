import qs from 'qs';
import { RequestError } from '../../core/errors.ts';
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import { localeType, roleType } from '../../model/schema/schema.ts';
import { systemNames } from '../../model/schema/type-definition.ts';

/** The interface of content that examples are generated from. */
export interface ReadableContent {
  describeSchema(caller: { role: string }): SchemaDescription;
  find(name: string, query?: object, options?: { role?: string }): { data: unknown; meta: unknown };
}

/** A content type with a route that a caller without a token may read. */
export type ListedType = TypeDescription & { readonly route: string };

/** Returns the types to show to a caller without a token, in the order of their routes. */
export function listedTypes(content: ReadableContent): ListedType[] {
  const listed = content.describeSchema({ role: 'public' }).types.filter((type): type is ListedType => {
    return type.route !== null && type.uid !== localeType && type.uid !== roleType;
  });
  return listed.sort((a, b) => (a.route < b.route ? -1 : 1));
}

/** A titled query that returns 200 for the content it was generated from. */
export interface Example {
  title: string;
  route: string;
  query: object;
}

type Entry = Record<string, unknown>;

/** Number of entries that are searched for a value. */
const sampleSize = 20;
const maxExamples = 5;

/** Attribute types with values short enough for a link, the most likely label of an entry first. */
const labelTypes = ['string', 'uid', 'text', 'email', 'enumeration'];

/** Returns up to five example queries that use values of the content and need no token. */
export function exampleQueries(content: ReadableContent, types = listedTypes(content)): Example[] {
  const collections = types.filter((type) => type.kind === 'collectionType' && isContent(type));
  const richest = [...collections].sort((a, b) => links(b, types).length - links(a, types).length);
  for (const type of richest) {
    const entries = sample(content, type, {});
    if (entries.length > 0) return collectionExamples(content, type, types, entries).slice(0, maxExamples);
  }
  const singles = types.filter((type) => type.kind === 'singleType');
  const empty = collections.slice(0, 1);
  return [...singles, ...empty].flatMap(plainExamples).slice(0, maxExamples);
}

/** Returns the encoded path and query string of an example. */
export function exampleUrl(prefix: string, { route, query }: Pick<Example, 'route' | 'query'>): string {
  const text = qs.stringify(query, { encodeValuesOnly: true });
  const path = route.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return `${prefix}/${path}${text === '' ? '' : `?${text}`}`;
}

function collectionExamples(
  content: ReadableContent,
  type: ListedType,
  types: ListedType[],
  entries: Entry[],
): Example[] {
  const { route } = type;
  const examples: Example[] = [];
  const add = (title: string, query: object) => examples.push({ title, route, query });

  const label = labelOf(type, entries);
  const labels = label ? texts(entries, label) : [];
  const order = label ?? 'id';
  add(`Five ${route}, sorted by ${order}`, { sort: `${order}:asc`, pagination: { pageSize: 5 } });

  if (label) {
    const word = longestWord(labels[0]);
    add(`“${word}” in the ${label}`, { filters: { [label]: { $contains: word } } });
  }

  const link = sampledLink(content, type, types);
  if (link) {
    const { attribute, targetLabel, value } = link;
    add(`A filter through a relation: the ${targetLabel} of the ${attribute} is “${value}”`, {
      filters: { [attribute]: { [targetLabel]: { $eq: value } } },
      populate: { [attribute]: { fields: [targetLabel] } },
    });
    add(`Only the ${label ?? 'documentId'}, with the ${targetLabel} of each ${attribute}`, {
      fields: [label ?? 'documentId'],
      populate: { [attribute]: { fields: [targetLabel] } },
    });
  }

  if (label) {
    const [first] = labels;
    // the first character, which may be two code units
    const [beginning] = labels.at(-1)!;
    const $or = [{ [label]: { $eq: first } }, { [label]: { $startsWith: beginning } }];
    add(`An alternative: the ${label} is “${first}” or begins with “${beginning}”`, { filters: { $or } });
  }

  return [...examples, ...plainExamples(type), ...fallbackExamples(type, entries)];
}

/** Examples that work for every type. */
function plainExamples({ route }: ListedType): Example[] {
  return [
    { title: `${capital(route)} with all relations, one level deep`, route, query: { populate: '*' } },
    { title: `${capital(route)} without parameters`, route, query: {} },
  ];
}

/** Examples that work for every non-empty collection. */
function fallbackExamples({ route }: ListedType, entries: Entry[]): Example[] {
  const { id } = entries[0];
  return [
    { title: `${capital(route)}, latest first`, route, query: { sort: 'id:desc' } },
    { title: `All ${route} except one`, route, query: { filters: { $not: { id: { $eq: id } } } } },
  ];
}

/** Excludes users and files, which are not content of the site and have special routes. */
function isContent(type: ListedType): boolean {
  return type.route !== 'users' && !type.route.includes('/');
}

/** Returns the relations of a type to content types that have a label attribute. */
function links(type: ListedType, types: ListedType[]): { attribute: string; target: ListedType }[] {
  return ownAttributes(type).flatMap(({ name, type: kind, targets }) => {
    const target = kind === 'relation' ? types.find(({ uid }) => uid === targets[0]) : undefined;
    return target && isContent(target) && labels(target).length > 0 ? [{ attribute: name, target }] : [];
  });
}

/** Returns a relation that some entry has, with a label of the related entry. */
function sampledLink(content: ReadableContent, type: ListedType, types: ListedType[]) {
  for (const { attribute, target } of links(type, types)) {
    const populated = sample(content, type, { populate: { [attribute]: true } });
    const related = populated.flatMap((entry) => entry[attribute] ?? []) as Entry[];
    const targetLabel = labelOf(target, related);
    if (targetLabel) return { attribute, targetLabel, value: texts(related, targetLabel)[0] };
  }
  return null;
}

/** Returns some entries, or none if the query is rejected, for example by a budget. */
function sample(content: ReadableContent, type: ListedType, query: object): Entry[] {
  try {
    const { data } = content.find(type.route, { ...query, pagination: { pageSize: sampleSize } }, { role: 'public' });
    return data as Entry[];
  } catch (error) {
    if (error instanceof RequestError) return [];
    throw error;
  }
}

/** Returns the attributes of the definition of a type. */
function ownAttributes(type: ListedType): AttributeDescription[] {
  return type.attributes.filter(({ name }) => !systemNames.has(name));
}

function labels(type: ListedType): string[] {
  const rank = (attribute: AttributeDescription) => labelTypes.indexOf(attribute.type);
  const named = ownAttributes(type).filter((attribute) => rank(attribute) >= 0);
  return named.sort((a, b) => rank(a) - rank(b)).map(({ name }) => name);
}

/** Returns the label attribute of these entries: the first candidate in which any of them has a text. */
function labelOf(type: ListedType, entries: Entry[]): string | undefined {
  return labels(type).find((name) => texts(entries, name).length > 0);
}

/** Returns the texts of an attribute that are short enough for a link, in entry order. */
function texts(entries: Entry[], attribute: string): string[] {
  const values = entries.map((entry) => entry[attribute]);
  return values.filter((value): value is string => typeof value === 'string' && /\S/.test(value) && value.length < 80);
}

function longestWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [text];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest));
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
