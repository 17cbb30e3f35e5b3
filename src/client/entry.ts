/** What entries hold, as a query returns them. Nothing here exists at run time. */
import type { ContentType, LinkName, ScalarName } from './content-types.ts';
import type { AnyQuery } from './query.ts';

/** An entry of a type, as a query returns it: `Entry<Articles, { fields: ['title']; populate: { author: true } }>`. */
export type Entry<Type extends ContentType, Given extends AnyQuery = object> = EntryWith<
  Type,
  OptionOf<Given, 'fields'>,
  OptionOf<Given, 'populate'>,
  OptionOf<Given, 'status'>
>;

/** `undefined` for an option that a query does not have. */
type OptionOf<Given, Option extends string> = Given extends { readonly [Name in Option]?: infer Value }
  ? Value
  : undefined;

/** The same with the parts of the query apart. */
export type EntryWith<Type extends ContentType, Fields, Populate, Status> = Flat<
  { [Name in SelectedName<Type, Fields>]: ValueOf<Type['attributes'][Name], Status> } & Populated<
    Type,
    Populate,
    Status
  >
>;

type Flat<Parts> = { [Name in keyof Parts]: Parts[Name] };

type SelectedName<Type extends ContentType, Fields> = ScalarName<Type> &
  keyof Type['attributes'] &
  (Fields extends undefined ? unknown : Named<Fields>);

/** `unknown` where all names are selected: by a star, and where the compiler does not know the names. */
type Named<Fields> = Fields extends readonly (infer Name)[] ? NamedOf<Name> : NamedOf<Fields>;
type NamedOf<Name> = [Name] extends [string] ? ('*' extends Name ? unknown : Name | 'id' | 'documentId') : unknown;

type ValueOf<Attribute, Status> = Attribute extends { readonly value: infer Value; readonly presence: infer P }
  ? Value | Absence<P, Status>
  : never;

/** Drafts may lack what published entries have. */
type Absence<P, Status> = P extends 'always'
  ? never
  : P extends 'required'
    ? 'draft' extends Status
      ? null
      : never
    : null;

type Populated<Type extends ContentType, Populate, Status> = Populate extends undefined
  ? unknown
  : Populate extends string
    ? PopulatedPaths<Type, Populate, Status>
    : Populate extends readonly (infer Path)[]
      ? PopulatedPaths<Type, Path, Status>
      : {
          [Name in keyof Populate & LinkName<Type> as Populate[Name] extends false | undefined
            ? never
            : Name]: LinkValue<Type['attributes'][Name & keyof Type['attributes']], Populate[Name], Status>;
        };

type PopulatedPaths<Type extends ContentType, Path, Status> = {
  [Name in FirstOf<Path, LinkName<Type>> & keyof Type['attributes']]: LinkValue<
    Type['attributes'][Name],
    RestOf<Path, Name> extends never ? true : { readonly populate: readonly RestOf<Path, Name>[] },
    Status
  >;
};

type FirstOf<Path, All> = Path extends '*' ? All : Path extends `${infer Name}.${string}` ? Name : Path;
type RestOf<Path, Name> = Path extends `${Name & string}.${infer Rest}` ? Rest : never;

type LinkValue<Link, Options, Status> = Options extends { readonly count: true }
  ? { count: number }
  : Link extends { readonly link: 'one'; readonly target: infer Target extends ContentType; readonly presence: infer P }
    ? Related<Target, Options, Status> | Absence<P, Status>
    : Link extends {
          readonly link: 'many';
          readonly target: infer Target extends ContentType;
          readonly options: infer Can;
        }
      ? 'wrap' extends Can
        ? Options extends { readonly filters: object }
          ? { data: Related<Target, Options, Status>[] }
          : Related<Target, Options, Status>[]
        : Related<Target, Options, Status>[]
      : Link extends { readonly link: 'zone'; readonly targets: infer Targets }
        ? OfSeveral<Targets, Options, '__component', Status>[]
        : Link extends { readonly link: 'oneOfAny'; readonly targets: infer Targets }
          ? OfAny<Targets, Options, Status> | null
          : Link extends { readonly link: 'manyOfAny'; readonly targets: infer Targets }
            ? OfAny<Targets, Options, Status>[]
            : never;

type Related<Type extends ContentType, Options, Status> = EntryWith<
  Type,
  OptionOf<Options, 'fields'>,
  OptionOf<Options, 'populate'>,
  Status
>;

/** Entries of several types, each with the uid of its own. `on` chooses the types. */
type OfSeveral<Targets, Options, Mark extends string, Status> = Options extends { readonly on: infer Fragments }
  ? {
      [Uid in keyof Fragments & keyof Targets]: Marked<Targets[Uid], Uid, Fragments[Uid], Mark, Status>;
    }[keyof Fragments & keyof Targets]
  : { [Uid in keyof Targets]: Marked<Targets[Uid], Uid, Options, Mark, Status> }[keyof Targets];

type Marked<Type, Uid, Options, Mark extends string, Status> = Type extends ContentType
  ? Flat<{ [Name in Mark]: Uid } & Related<Type, Options, Status>>
  : never;

/** Without `on`, the compiler only knows what every entry has. */
type OfAny<Targets, Options, Status> = Options extends { readonly on: object }
  ? OfSeveral<Targets, Options, '__type', Status>
  : { __type: string; id: number; documentId: string; [attribute: string]: unknown };
