/** What a query may ask of a content type. Nothing here exists at run time. */
import type { ContentType, LinkName, LinkOf, PathName, ScalarName, TargetOf } from './content-types.ts';
import type { Comparing, Group, OrderOperators } from './operators.ts';

/** A query of a list, a document or a single type. `Fields` and `Populate` decide what its entries hold. */
export interface Query<
  Type extends ContentType,
  Fields = unknown,
  Populate = unknown,
  Sort = unknown,
  Status = unknown,
> {
  filters?: Filters<Type>;
  /** Scalar attributes of the entries. `id` and `documentId` are always there. */
  fields?: Fields;
  /** Relations, media, components and dynamic zones of the entries. */
  populate?: Populate & CheckedPopulate<Type, Populate>;
  sort?: Sort & CheckedSort<Type, Sort>;
  pagination?: Pagination;
  status?: Status;
  /** `*` finds the entries of every locale. */
  locale?: Type['locale'] | '*';
  /** Strapi 5.37 and later: which documents are found, by their versions. */
  publicationFilter?: string;
  hasPublishedVersion?: boolean;
  /** Entries with this text in any attribute that is searched. */
  _q?: string;
  /** Only Lectern: attributes whose values are counted, such as `author.name`. */
  facets?: readonly string[];
  /** Only Lectern, with the feature of the same name: locales of documents that `locale` does not have. */
  fallbackLocale?: string | readonly string[];
  /** Only Lectern, with the feature `languageAware`: whose rules sort texts, such as `de`. */
  language?: string;
}

/** A query as an object of any form, to name the type of an entry by. */
export interface AnyQuery {
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly status?: unknown;
}

/** By pages, or by offset. */
export type Pagination =
  | { page?: number; pageSize?: number; withCount?: boolean; start?: never; limit?: never }
  | { start?: number; limit?: number; withCount?: boolean; page?: never; pageSize?: never };

/** A relation is compared by the id of what it leads to, or by a filter on it. */
type LinkFilter<Target extends ContentType> =
  | number
  | null
  | readonly number[]
  | (Filters<Target> & OrderOperators<number>);

/**
 * Conditions on the attributes of a type, and on those of related entries. All of them have to hold. It is one mapped type,
 * because the compiler takes nine times as long for an intersection of three.
 */
export type Filters<Type extends ContentType> = {
  [Name in keyof Type['scalars'] | keyof Type['links'] | keyof Group<unknown>]?: Name extends keyof Type['scalars']
    ? Type['scalars'][Name]['filter']
    : Name extends keyof Type['links']
      ? LinkFilter<TargetOf<Type['links'][Name]>>
      : Name extends '$not'
        ? Filters<Type>
        : readonly Filters<Type>[];
};

/** One name, a list of names, or `*` for all. */
export type FieldsOf<Type extends ContentType> = ScalarName<Type> | '*' | readonly (ScalarName<Type> | '*')[];

type Direction = 'asc' | 'desc';

type SortText<Type extends ContentType> =
  | ScalarName<Type>
  | `${ScalarName<Type>}:${Direction}`
  | `${PathName<Type>}.${string}`;

type SortObject<Type extends ContentType> = {
  [Name in keyof Type['scalars'] | keyof Type['links']]?: Name extends keyof Type['links']
    ? SortObject<TargetOf<Type['links'][Name]>>
    : Direction;
};

type SortItem<Type extends ContentType> = SortText<Type> | SortObject<Type>;

/** `title`, `title:desc`, `author.name:asc`, an object such as `{ author: { name: 'asc' } }`, or a list of them. */
export type SortOf<Type extends ContentType> = SortItem<Type> | readonly SortItem<Type>[];

type PopulateText<Type extends ContentType> = '*' | LinkName<Type> | `${LinkName<Type>}.${string}`;

/** `*`, a name or a path such as `author.team`, a list of them, or an object with options for each name. */
export type PopulateOf<Type extends ContentType> =
  | PopulateText<Type>
  | readonly PopulateText<Type>[]
  | { readonly [Name in keyof Type['links'] | keyof Type['unfiltered']]?: PopulateOptions<LinkOf<Type, Name>> };

type PopulateOptions<Link> = Link extends {
  readonly target: infer Target extends ContentType;
  readonly options: infer Can;
}
  ? boolean | (RelatedOptions<Target> & ('count' extends Can ? { readonly count?: boolean } : unknown))
  : Link extends { readonly link: 'zone'; readonly targets: infer Targets }
    ? boolean | { readonly populate?: '*'; readonly on?: Fragments<Targets> }
    : Link extends { readonly targets: infer Targets }
      ? boolean | { readonly populate?: '*'; readonly count?: boolean; readonly on?: Fragments<Targets> }
      : never;

interface RelatedOptions<Type extends ContentType> {
  readonly fields?: FieldsOf<Type>;
  readonly filters?: Filters<Type>;
  readonly sort?: SortOf<Type>;
  readonly populate?: PopulateOf<Type>;
}

type Fragments<Targets> = {
  readonly [Uid in keyof Targets]?: Targets[Uid] extends ContentType ? boolean | RelatedOptions<Targets[Uid]> : never;
};

/** What is wrong in a query, as the compiler shows it. */
type NoSuch<What extends string, Name> = { readonly error: `There is no ${What}`; readonly name: Name };

/** `unknown` for paths and options that exist. The compiler refuses all else at its place. */
export type CheckedPopulate<Type extends ContentType, Given> = Given extends string
  ? CheckedPath<Type, Given>
  : Given extends readonly unknown[]
    ? { readonly [Index in keyof Given]: CheckedPath<Type, Given[Index]> }
    : {
        readonly [Name in keyof Given]: Name extends LinkName<Type>
          ? CheckedOptions<LinkOf<Type, Name>, Given[Name]>
          : NoSuch<'relation', Name>;
      };

type CheckedPath<Type extends ContentType, Path> = Path extends '*'
  ? unknown
  : Path extends `${infer Name}.${infer Rest}`
    ? LinkOf<Type, Name> extends { readonly target: infer Target extends ContentType }
      ? CheckedPath<Target, Rest>
      : LinkOf<Type, Name> extends { readonly link: 'zone' }
        ? unknown
        : NoSuch<'relation', Path>
    : Path extends LinkName<Type>
      ? unknown
      : NoSuch<'relation', Path>;

type CheckedOptions<Link, Given> = Given extends boolean
  ? unknown
  : Link extends { readonly target: infer Target extends ContentType }
    ? CheckedRelated<Target, Given>
    : Link extends { readonly targets: infer Targets }
      ? {
          readonly [Option in keyof Given]: Option extends 'on'
            ? {
                readonly [Uid in keyof Given[Option]]: Uid extends keyof Targets
                  ? Targets[Uid] extends ContentType
                    ? CheckedRelated<Targets[Uid], Given[Option][Uid]>
                    : never
                  : NoSuch<'type', Uid>;
              }
            : Option extends 'populate' | 'count'
              ? unknown
              : NoSuch<'option', Option>;
        }
      : never;

type CheckedRelated<Type extends ContentType, Given> = Given extends boolean
  ? unknown
  : {
      readonly [Option in keyof Given]: Option extends 'populate'
        ? CheckedPopulate<Type, Given[Option]>
        : Option extends 'filters'
          ? CheckedFilters<Type, Given[Option]>
          : Option extends 'sort'
            ? CheckedSort<Type, Given[Option]>
            : Option extends 'fields' | 'count'
              ? unknown
              : NoSuch<'option', Option>;
    };

/** The same for filters in `populate`. The compiler checks other filters itself. */
type CheckedFilters<Type extends ContentType, Given> = Given extends readonly unknown[]
  ? { readonly [Index in keyof Given]: CheckedFilters<Type, Given[Index]> }
  : Given extends object
    ? {
        readonly [Name in keyof Given]: Name extends '$and' | '$or' | '$not'
          ? CheckedFilters<Type, Given[Name]>
          : Name extends keyof Type['scalars']
            ? CheckedOperators<Type['scalars'][Name]['operators'], Given[Name]>
            : Name extends keyof Type['links']
              ? CheckedFilters<TargetOf<Type['links'][Name]>, Given[Name]>
              : Name extends keyof OrderOperators<number>
                ? unknown
                : NoSuch<'attribute to filter by', Name>;
      }
    : unknown;

type CheckedOperators<Operators, Given> = Given extends readonly unknown[] | Date
  ? unknown
  : Given extends object
    ? {
        readonly [Operator in keyof Given]: Operator extends keyof Comparing<Operators>
          ? unknown
          : NoSuch<'operator for this attribute', Operator>;
      }
    : unknown;

/** The same for the keys of a sort. */
export type CheckedSort<Type extends ContentType, Given> = Given extends string
  ? CheckedSortPath<Type, Given>
  : Given extends readonly unknown[]
    ? { readonly [Index in keyof Given]: CheckedSort<Type, Given[Index]> }
    : {
        readonly [Name in keyof Given]: Name extends ScalarName<Type>
          ? unknown
          : Name extends keyof Type['links']
            ? CheckedSort<TargetOf<Type['links'][Name]>, Given[Name]>
            : NoSuch<'attribute to sort by', Name>;
      };

type CheckedSortPath<Type extends ContentType, Path> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof Type['links']
    ? CheckedSortPath<TargetOf<Type['links'][Name]>, Rest>
    : NoSuch<'attribute to sort by', Path>
  : Path extends ScalarName<Type> | `${ScalarName<Type>}:${Direction}`
    ? unknown
    : NoSuch<'attribute to sort by', Path>;
