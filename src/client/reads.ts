/** What the reads of a client and of the library share. Nothing here exists at run time. */
import type { ContentType } from './content-types.ts';
import type { EntryWith, StateOf } from './entry.ts';
import type { FieldsOf, PopulateOf, Query, SortOf } from './query.ts';

/** What a list says of all entries that were found. */
export interface ListMeta {
  readonly pagination?: {
    readonly page?: number;
    readonly pageSize?: number;
    readonly pageCount?: number;
    readonly start?: number;
    readonly limit?: number;
    readonly total?: number;
  };
  /** By the paths of the query. */
  readonly facets?: Readonly<Record<string, FacetCounts>>;
}

/** The values of an attribute among all entries that were found. */
export interface FacetCounts {
  /** The most frequent first, at most 1,000. */
  readonly values: readonly { readonly value: string | number | boolean | null; readonly count: number }[];
  /** How many different values there are. */
  readonly total: number;
}

/** The content type of a route. */
export type TypeAt<Schema, Name> = Name extends keyof Schema
  ? Schema[Name] extends ContentType
    ? Schema[Name]
    : never
  : never;

/** Names of the routes of lists. */
export type ListName<Schema> = {
  [Name in keyof Schema]: Schema[Name] extends { readonly kind: 'collectionType' } ? Name : never;
}[keyof Schema] &
  string;

/** One entry for a single type, and a list for all others. */
type DataOf<Type extends ContentType, Entry> = Type['kind'] extends 'singleType' ? Entry : Entry[];

/** What a query of one document may ask. */
type DocumentQuery<Type extends ContentType, Fields, Populate, Status> = Pick<
  Query<Type, Fields, Populate, unknown, Status>,
  'fields' | 'populate' | 'status' | 'locale'
>;

/** What a read returns: at once from the library, later from a client. */
type Returned<Way extends 'now' | 'later', Result> = Way extends 'later' ? Promise<Result> : Result;

/** `find` and `findOne` by the types of a schema. */
export interface Reads<Schema, Options, Way extends 'now' | 'later'> {
  /** Finds the entries of a collection, or the entry of a single type. */
  find<
    Name extends keyof Schema & string,
    const Fields extends FieldsOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Populate extends PopulateOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Sort extends SortOf<TypeAt<Schema, Name>> | undefined = undefined,
    Status extends TypeAt<Schema, Name>['status'] | undefined = undefined,
  >(
    name: Name,
    query?: Query<TypeAt<Schema, Name>, Fields, Populate, Sort, Status>,
    options?: Options,
  ): Returned<
    Way,
    {
      data: DataOf<
        TypeAt<Schema, Name>,
        EntryWith<TypeAt<Schema, Name>, Fields, Populate, StateOf<TypeAt<Schema, Name>, Status>>
      >;
      meta: ListMeta;
    }
  >;

  /** Finds one document by its documentId; a user or file by its id. */
  findOne<
    Name extends ListName<Schema>,
    const Fields extends FieldsOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Populate extends PopulateOf<TypeAt<Schema, Name>> | undefined = undefined,
    Status extends TypeAt<Schema, Name>['status'] | undefined = undefined,
  >(
    name: Name,
    documentId: Way extends 'later' ? string | number : string,
    query?: DocumentQuery<TypeAt<Schema, Name>, Fields, Populate, Status>,
    options?: Options,
  ): Returned<
    Way,
    {
      data: EntryWith<TypeAt<Schema, Name>, Fields, Populate, StateOf<TypeAt<Schema, Name>, Status>>;
      meta: object;
    }
  >;
}
