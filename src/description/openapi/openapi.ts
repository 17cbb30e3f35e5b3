/** Writes a described schema as an OpenAPI 3.1 document. */
import type { RouteDescription, SchemaDescription, TypeDescription } from '../describe-schema.ts';
import { type DocumentContext, documentContext } from './document-context.ts';
import { describe } from './entries.ts';
import { exampleEntry, type KnownEntry } from './examples.ts';
import type { JsonSchema } from './json-schema.ts';
import { flatFormat, pathParameters, queryParameters } from './parameters.ts';
import { errorOf, headers, replyExample, replyOf, responsesOf, sharedResponses } from './replies.ts';

/** What a document says besides the schema. */
export interface ApiInfo {
  /** The URL in front of every path: the base URL and the prefix of the content. */
  readonly server: string;
  /** Whether callers without credentials get the same replies. */
  readonly isPublic: boolean;
  /** Whether requests without `Strapi-Response-Format` get replies in the format of Strapi 4. */
  readonly isNested: boolean;
  /** Entries that everyone may read, by the uid of their type. */
  readonly examples: ReadonlyMap<string, KnownEntry>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly [member: string]: unknown;
}

const description = `Reads content, as Strapi's REST API does.

OpenAPI 3.1 does not define how nested objects and lists in \`filters\`, \`fields\`, \`sort\`, \`populate\` and \`pagination\`
are written: \`deepObject\` is defined for one level. They are written in brackets, as in
\`filters[author][name][$eq]=Ada\`. \`stringifyQuery\` of \`lectern/client\` writes them, and fits \`querySerializer\` of
openapi-fetch. A query string holds texts, so every number and boolean may be a text.

The license is that of this description, not of the content.`;

/**
 * Returns the document. It holds each route that the caller may request, and is the same in whatever order types and
 * attributes are defined.
 */
export function openApiOf(schema: SchemaDescription, info: ApiInfo): OpenApiDocument {
  const context = documentContext(schema, info.isNested);
  const paths = context.schema.routes.map(
    (route) => [pathOf(route), { get: operationOf(context, route, info) }] as const,
  );
  const responses = sharedResponses(errorOf(context));
  return {
    openapi: '3.1.0',
    info: { title: 'Content', version: '1.0.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: info.server }],
    security: [...(info.isPublic ? [{}] : []), { bearer: [] }],
    tags: tagsOf(context),
    paths: Object.fromEntries(paths),
    components: { schemas: context.components.schemas, responses, headers, securitySchemes },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or the JWT of a user.' },
};

function pathOf({ path }: RouteDescription): string {
  return `/${path.replace(/:(\w+)/g, '{$1}')}`;
}

/** One tag for each type with a route, and one for the routes that describe types. */
function tagsOf(context: DocumentContext): JsonSchema[] {
  const { routes } = context.schema;
  const uids = [...new Set(routes.flatMap(({ uid }) => uid ?? []))].sort();
  const tags = uids.map((uid) => ({ name: context.components.nameOf(uid), description: describe(context.type(uid)) }));
  const describesTypes = routes.some(({ uid }) => uid === null);
  return [...tags, ...(describesTypes ? [{ name: schemasTag, description: 'Content types and components' }] : [])];
}

/** No type has a name with a hyphen at its end. */
const schemasTag = 'content-type-builder';

function operationOf(context: DocumentContext, route: RouteDescription, { examples, isNested }: ApiInfo): Operation {
  const type = route.uid === null ? null : context.type(route.uid);
  const example = replyExample(route, type ? exampleEntry(type, examples.get(type.uid)) : {});
  const content = { 'application/json': { schema: replyOf(context, route), example } };
  const name = type === null ? '' : context.components.nameOf(type.uid);
  return {
    operationId: operationIdOf(route, name),
    summary: summaryOf(route, type),
    tags: [type === null ? schemasTag : name],
    parameters: [...pathParameters(route), ...queryParameters(context, route), ...(isNested ? [flatFormat] : [])],
    responses: responsesOf(context, route, { description: 'The reply.', content }),
  };
}

function operationIdOf({ kind, path }: RouteDescription, name: string): string {
  switch (kind) {
    case 'page':
    case 'list':
      return `list${name}`;
    case 'document':
    case 'single':
    case 'entry':
      return `get${name}`;
    case 'me':
      return `current${name}`;
    case 'count':
      return `count${name}`;
    case 'schemas':
      return path.includes('components') ? 'describeComponents' : 'describeContentTypes';
    case 'schema':
      return path.includes('components') ? 'describeComponent' : 'describeContentType';
    default:
      throw new Error(`unknown route ${JSON.stringify(kind satisfies never)}`);
  }
}

function summaryOf({ kind, path }: RouteDescription, type: TypeDescription | null): string {
  const what = type === null ? (path.includes('components') ? 'component' : 'content type') : type.displayName;
  switch (kind) {
    case 'page':
      return `List a page of ${what}`;
    case 'list':
      return `List ${what}`;
    case 'document':
      return `Read a document of ${what}`;
    case 'single':
    case 'entry':
      return `Read ${what}`;
    case 'me':
      return 'Read the user whose JWT is sent';
    case 'count':
      return `Count ${what}`;
    case 'schemas':
      return `Describe every ${what}`;
    case 'schema':
      return `Describe a ${what}`;
    default:
      throw new Error(`unknown route ${JSON.stringify(kind satisfies never)}`);
  }
}
