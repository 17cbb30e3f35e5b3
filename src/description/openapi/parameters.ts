import { fileType } from '../../model/schema/schema.ts';
/** The parameters of each route. */
import { publicationFilters } from '../../query/bound.ts';
import type { RouteDescription, SchemaDescription, TypeDescription } from '../describe-schema.ts';
import type { DocumentContext } from './document-context.ts';
import { filtersOf } from './filters.ts';
import { anyOf, closedObject, type JsonSchema, listOf } from './json-schema.ts';
import { fieldsOf, sortOf } from './names.ts';
import { populateOf } from './populate.ts';
import { flagSchema, sorted } from './values.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly style?: 'deepObject';
  readonly explode?: true;
  readonly schema: JsonSchema;
}

/** Returns the parameters in the path of a route. */
export function pathParameters({ path }: RouteDescription): Parameter[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathDescriptions[name] ?? `The ${name}.`,
    schema: { type: 'string' },
  }));
}

/** The header that asks for the format of the schemas, for content that is served in that of Strapi 4 by default. */
export const flatFormat: Parameter = {
  name: 'Strapi-Response-Format',
  in: 'header',
  required: true,
  description: 'The format that is described here. Without it, replies have the format of Strapi 4.',
  schema: { type: 'string', enum: ['v5'] },
};

const pathDescriptions: Readonly<Record<string, string>> = {
  documentId: 'The documentId of a document.',
  id: 'The id of an entry.',
  uid: 'The uid of a type, such as `api::article.article`.',
};

/** Returns the parameters of the query string that have an effect on a route. */
export function queryParameters(context: DocumentContext, route: RouteDescription): Parameter[] {
  if (route.kind === 'schemas' && route.path.endsWith('content-types')) return [kindParameter];
  if (route.reads === 'nothing' || route.uid === null) return [];
  const type = context.type(route.uid);
  const populate = nested(
    'populate',
    'Relations, media, components and dynamic zones of the entries.',
    populateOf(context, type),
  );
  if (route.reads === 'populate') return [populate];
  const filters = nested('filters', 'Conditions on the entries.', filtersOf(context, type));
  const versions = versionParameters(context.schema);
  const search = plain('_q', 'Finds entries with this text in an attribute that is searched.', { type: 'string' });
  if (route.kind === 'count') return [filters, search, ...versions];
  return [
    filters,
    ...shownParts(context, type),
    populate,
    ...pages(context.schema, route),
    search,
    ...versions,
    ...facets(context, route),
    ...ofFeatures(context.schema, route),
  ];
}

/** The parameters that features add. */
function ofFeatures({ features, locales }: SchemaDescription, { kind, uid }: RouteDescription): Parameter[] {
  const text = { type: 'string' };
  const fallback = plain(
    'fallbackLocale',
    'The locales, by preference, of entries that `locale` does not have.',
    anyOf(text, listOf(text)),
  );
  const language = plain('language', 'Whose rules sort texts. Searches then ignore accents.', text);
  const folder = plain('folder', 'The names of the folders that lead to the files, joined by `/`.', text);
  return [
    ...(features.includes('fallbackLocale') && locales.length > 0 ? [fallback] : []),
    ...(features.includes('languageAware') ? [language] : []),
    ...(features.includes('fileFolders') && uid === fileType && kind === 'list' ? [folder] : []),
  ];
}

function shownParts(context: DocumentContext, type: TypeDescription): Parameter[] {
  return [
    nested('fields', 'The attributes that the reply holds. The ids are always there.', fieldsOf(context, type)),
    nested('sort', 'The order of the entries, such as `rating:desc`.', sortOf(context, type)),
  ];
}

function facets({ schema }: DocumentContext, { kind }: RouteDescription): Parameter[] {
  if (kind !== 'page' || !schema.hasFacets) return [];
  const names = { type: 'string', description: 'The path of an attribute, such as `author.name`.' };
  return [nested('facets', 'Attributes whose values are counted among all entries that are found.', listOf(names))];
}

/** Lists without an envelope are cut by parameters of their own in the dialect `strapi`. */
function pages({ dialect }: SchemaDescription, { kind }: RouteDescription): Parameter[] {
  if (kind === 'page' || (kind === 'list' && dialect === 'document')) {
    return [nested('pagination', 'The page, by its number or by its first entry.', paginationSchema(dialect))];
  }
  if (kind !== 'list') return [];
  return [
    plain('start', 'The number of entries to skip.', wholeNumber),
    plain('limit', 'The maximum number of entries.', wholeNumber),
  ];
}

const wholeNumber = { type: ['integer', 'string'], pattern: '^\\s*-?\\d+\\s*$' };

function paginationSchema(dialect: SchemaDescription['dialect']): JsonSchema {
  const withCount = { ...flagSchema(dialect), description: 'Whether the reply holds totals.' };
  // Strapi takes a size that is no number for the maximum
  const size = dialect === 'strapi' ? { type: wholeNumber.type } : wholeNumber;
  return anyOf(
    closedObject({ page: wholeNumber, pageSize: size, withCount }),
    closedObject({ start: wholeNumber, limit: size, withCount }),
  );
}

/** The parameters that choose one version of each document. */
function versionParameters({ dialect, locales, readsDrafts }: SchemaDescription): Parameter[] {
  // Strapi takes every other status for drafts, and finds nothing in a locale that does not exist
  const oneOf = (names: readonly string[]) => ({ type: 'string', [dialect === 'strapi' ? 'examples' : 'enum']: names });
  const one = oneOf([...sorted(locales), '*']);
  const locale = plain('locale', 'The locale of the entries, or `*` for all.', anyOf(one, listOf(one)));
  const statuses = readsDrafts ? ['draft', 'published'] : ['published'];
  return [
    ...(locales.length > 0 ? [locale] : []),
    plain('status', `Which version of the entries: ${statuses.join(' or ')}.`, oneOf(statuses)),
    ...(readsDrafts
      ? [
          plain('publicationFilter', 'Which documents are found, by their versions.', {
            type: 'string',
            enum: sorted(publicationFilters),
          }),
          plain('hasPublishedVersion', 'An older name of two publication filters.', flagSchema(dialect)),
        ]
      : []),
  ];
}

const kindParameter = plain('kind', 'Which content types are described.', {
  type: 'string',
  enum: ['collectionType', 'singleType'],
});

function plain(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', description, schema };
}

function nested(name: string, description: string, schema: JsonSchema): Parameter {
  return { ...plain(name, `${description} ${serializer}`, schema), style: 'deepObject', explode: true };
}

const serializer =
  'OpenAPI 3.1 does not define `deepObject` beyond one level: write the query with `stringifyQuery` of `lectern/client`.';
