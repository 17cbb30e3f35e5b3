/** The replies of each route. */
import { fileType, localeType, roleType } from '../../model/schema/schema.ts';
import type { RouteDescription } from '../describe-schema.ts';
import type { DocumentContext } from './document-context.ts';
import { entryOf } from './entries.ts';
import { anyOf, type JsonSchema, listOf, nothing } from './json-schema.ts';

export interface Response {
  readonly description: string;
  readonly headers?: JsonSchema;
  readonly content?: JsonSchema;
}

/** The statuses of errors, and what each means. */
const errors: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  400: { name: 'BadRequest', description: 'The query is invalid or exceeds a limit.' },
  401: { name: 'Unauthorized', description: 'The credentials are unknown.' },
  403: { name: 'Forbidden', description: 'The caller lacks a permission.' },
  404: { name: 'NotFound', description: 'There is no such entry.' },
  414: { name: 'UriTooLong', description: 'The query string is too long.' },
  429: { name: 'TooManyRequests', description: 'The caller sends too many requests.' },
  503: { name: 'ServiceUnavailable', description: 'The server is busy, or loads its content.' },
};

/** Returns a reference to the reply with each status that a route may have, and `reply` for 200. */
export function responsesOf(context: DocumentContext, route: RouteDescription, reply: Response): JsonSchema {
  const describesTypes = route.kind === 'schemas' || route.kind === 'schema';
  const ofErrors = Object.entries(errors).map(([status, { name, description }]) => {
    if (!describesTypes || !ownErrors.has(status)) return [status, responseReference(name)] as const;
    const schema = typeSchemaError(context);
    return [status, { description, content: { 'application/json': { schema } } }] as const;
  });
  return {
    200: { ...reply, headers: replyHeaders },
    ...(route.mayBeEmpty ? { 204: { description: 'There is no such entry.' } } : {}),
    304: responseReference('NotModified'),
    ...Object.fromEntries(ofErrors),
  };
}

const ownErrors: ReadonlySet<string> = new Set(['400', '404']);

function responseReference(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

const headerNames = ['ETag', 'X-Lectern-Snapshot', 'X-Lectern-Version'];

const replyHeaders = Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const text = { type: 'string' };

/** The headers that documents refer to. */
export const headers: JsonSchema = {
  ETag: { description: 'Send it as `If-None-Match` to get a 304 if the reply is the same.', schema: text },
  'X-Lectern-Snapshot': { description: 'Digest of the content that the reply was made from.', schema: text },
  'X-Lectern-Version': {
    description:
      'Version of the content. It changes with each batch of changes. Send it as `X-Lectern-At-Least` to get no older reply.',
    schema: text,
  },
};

/** Returns the responses that documents refer to. `error` is the schema of errors. */
export function sharedResponses(error: JsonSchema): JsonSchema {
  const ofErrors = Object.entries(errors).map(([status, { name, description }]) => {
    const example = errorExample(Number(status), name);
    return [name, { description, content: { 'application/json': { schema: error, example } } }] as const;
  });
  return { NotModified: { description: 'The reply is the one that the caller has.' }, ...Object.fromEntries(ofErrors) };
}

function errorExample(status: number, name: string): JsonSchema {
  const names: Readonly<Record<number, string>> = { 400: 'ValidationError', 414: 'UriTooLongError' };
  const error = { status, name: names[status] ?? `${name}Error`, message: errors[status].description, details: {} };
  return { data: null, error };
}

/** Returns the schema of errors. */
export function errorOf({ components }: DocumentContext): JsonSchema {
  return components.shared('Error', () => ({
    type: 'object',
    required: ['data', 'error'],
    properties: {
      data: nothing,
      error: {
        type: 'object',
        required: ['status', 'name', 'message', 'details'],
        properties: { status: { type: 'integer', minimum: 400, maximum: 599 }, ...errorMembers },
      },
    },
  }));
}

const errorMembers = {
  name: text,
  message: text,
  details: {
    type: 'object',
    description: 'The place and the value of a mistake in a query.',
    additionalProperties: true,
  },
};

/** The routes that describe types have errors of their own. */
function typeSchemaError({ components }: DocumentContext): JsonSchema {
  return components.shared('TypeSchemaError', () => ({
    type: 'object',
    required: ['error'],
    properties: { error: anyOf(text, { type: 'object', required: ['name', 'message'], properties: errorMembers }) },
  }));
}

/** Returns the schema of the reply of a route. */
export function replyOf(context: DocumentContext, route: RouteDescription): JsonSchema {
  const { kind, member } = route;
  if (kind === 'schemas') return dataOnly(listOf(typeSchemaOf(context)));
  if (kind === 'schema') return dataOnly(typeSchemaOf(context));
  if (kind === 'count') return { type: 'integer' };
  const entry = routeEntry(context, route);
  switch (kind) {
    case 'page':
      return envelope(listOf(entry), listMeta(context));
    case 'document':
    case 'single':
      return envelope(entry, { type: 'object' });
    case 'list':
      return inMember(member, listOf(entry));
    case 'entry':
    case 'me':
      return inMember(member, entry);
    default:
      throw new Error(`unknown route ${JSON.stringify(kind satisfies never)}`);
  }
}

/** The routes of some types of plugins add members to their entries. */
const addedMembers: Readonly<Record<string, JsonSchema>> = {
  [fileType]: { isUrlSigned: { type: 'boolean' } },
  [localeType]: { isDefault: { type: 'boolean' } },
  [roleType]: { nb_users: { type: 'integer', description: 'The number of users who have the role.' } },
};

function routeEntry(context: DocumentContext, { uid }: RouteDescription): JsonSchema {
  const entry = entryOf(context, context.type(uid!));
  const added = addedMembers[uid!];
  return added ? { allOf: [entry, { type: 'object', properties: added }] } : entry;
}

function envelope(data: JsonSchema, meta: JsonSchema): JsonSchema {
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta } };
}

function listMeta(context: DocumentContext): JsonSchema {
  const pagination = paginationOf(context);
  const facets = context.schema.hasFacets ? { facets: facetsOf(context) } : {};
  return { type: 'object', properties: { pagination, ...facets } };
}

function facetsOf({ components }: DocumentContext): JsonSchema {
  return components.shared('Facets', () => {
    const value = { type: ['string', 'number', 'boolean', 'null'] };
    const counted = { type: 'object', required: ['value', 'count'], properties: { value, count: { type: 'integer' } } };
    const properties = { values: listOf(counted), total: { type: 'integer' } };
    return {
      type: 'object',
      description:
        'By path: the values of an attribute among all entries that are found, and how many entries have each.',
      additionalProperties: { type: 'object', required: ['values', 'total'], properties },
    };
  });
}

function dataOnly(data: JsonSchema): JsonSchema {
  return { type: 'object', required: ['data'], properties: { data } };
}

function inMember(member: string | null, schema: JsonSchema): JsonSchema {
  return member === null ? schema : { type: 'object', required: [member], properties: { [member]: schema } };
}

function paginationOf({ components }: DocumentContext): JsonSchema {
  return components.shared('Pagination', () => {
    const integers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
    const byPage = integers('page', 'pageSize', 'pageCount', 'total');
    const byOffset = integers('start', 'limit', 'total');
    return anyOf(
      { type: 'object', required: ['page', 'pageSize'], properties: byPage },
      { type: 'object', required: ['start', 'limit'], properties: byOffset },
    );
  });
}

function typeSchemaOf({ components }: DocumentContext): JsonSchema {
  return components.shared('TypeSchema', () => ({
    type: 'object',
    description: 'A content type or component, in the format of the content-type builder.',
    required: ['uid', 'schema'],
    properties: {
      uid: text,
      schema: { type: 'object', required: ['attributes'], properties: { attributes: { type: 'object' } } },
    },
  }));
}

/** Returns the example of the reply of a route around the example of an entry. */
export function replyExample({ kind, member }: RouteDescription, entry: object): unknown {
  const around = (value: unknown) => (member === null ? value : { [member]: value });
  switch (kind) {
    case 'page':
      return { data: [entry], meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } } };
    case 'document':
    case 'single':
      return { data: entry, meta: {} };
    case 'list':
      return around([entry]);
    case 'entry':
    case 'me':
      return around(entry);
    case 'count':
      return 1;
    case 'schemas':
      return { data: [] };
    case 'schema':
      return { data: { uid: 'api::article.article', schema: { attributes: {} } } };
    default:
      throw new Error(`unknown route ${JSON.stringify(kind satisfies never)}`);
  }
}
