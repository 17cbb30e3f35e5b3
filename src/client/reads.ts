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
export type DataOf<Type extends ContentType, Entry> = Type['kind'] extends 'singleType' ? Entry : Entry[];

/** What a query of one document may ask. */
export type DocumentQuery<Type extends ContentType, Fields, Populate, Status> = Pick<
  Query<Type, Fields, Populate, unknown, Status>,
  'fields' | 'populate' | 'status' | 'locale'
>;

/** The caller of a read by the library: the type of a role. */
interface Caller {
  readonly role?: string;
}

/** `find` and `findOne` of the library, by the types of a schema. */
export interface LibraryReads<Schema> {
  find<
    Name extends keyof Schema & string,
    const Fields extends FieldsOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Populate extends PopulateOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Sort extends SortOf<TypeAt<Schema, Name>> | undefined = undefined,
    Status extends TypeAt<Schema, Name>['status'] | undefined = undefined,
  >(
    name: Name,
    query?: Query<TypeAt<Schema, Name>, Fields, Populate, Sort, Status>,
    caller?: Caller,
  ): {
    data: DataOf<
      TypeAt<Schema, Name>,
      EntryWith<TypeAt<Schema, Name>, Fields, Populate, StateOf<TypeAt<Schema, Name>, Status>>
    >;
    meta: ListMeta;
  };

  findOne<
    Name extends ListName<Schema>,
    const Fields extends FieldsOf<TypeAt<Schema, Name>> | undefined = undefined,
    const Populate extends PopulateOf<TypeAt<Schema, Name>> | undefined = undefined,
    Status extends TypeAt<Schema, Name>['status'] | undefined = undefined,
  >(
    name: Name,
    documentId: string,
    query?: DocumentQuery<TypeAt<Schema, Name>, Fields, Populate, Status>,
    caller?: Caller,
  ): { data: EntryWith<TypeAt<Schema, Name>, Fields, Populate, StateOf<TypeAt<Schema, Name>, Status>>; meta: object };
}
