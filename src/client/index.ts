/** A typed client for Lectern and Strapi 5. It runs in browsers, Node and edge runtimes. */
export type { Client, ClientOptions, MediaFile, RequestOptions } from './client.ts';
export { createClient } from './client.ts';
export type { ErrorDetails } from './content-error.ts';
export { ContentError } from './content-error.ts';
export type {
  BigInteger,
  Block,
  Blocks,
  ContentType,
  DateTime,
  Day,
  Enumeration,
  Flag,
  Json,
  List,
  Many,
  ManyOfAny,
  Numeric,
  One,
  OneOfAny,
  Text,
  Time,
  Zone,
} from './content-types.ts';
export type { Entry } from './entry.ts';
export type { FieldsOf, Filters, PopulateOf, Query, SortOf } from './query.ts';
export { stringifyQuery } from './query-string.ts';
export type { FacetCounts, ListMeta } from './reads.ts';
