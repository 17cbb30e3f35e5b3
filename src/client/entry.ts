/** What entries hold, as a query returns them. Nothing here exists at run time. */
import type { ContentType, LinkName, LinkOf } from './content-types.ts';
import type { AnyQuery } from './query.ts';

/** An entry of a type, as a query returns it: `Entry<Articles, { fields: ['title']; populate: { author: true } }>`. */
export type Entry<Type extends ContentType, Given extends AnyQuery = object> = EntryWith<
  Type,
  OptionOf<Given, 'fields'>,
  OptionOf<Given, 'populate'>,
  StateOf<Type, OptionOf<Given, 'status'>>
>;

/** Whether entries are drafts, for which fewer values are certain. */
type State = 'draft' | 'published';

/** The state of what a query of a status returns. */
export type StateOf<Type, Status> = Type extends { readonly showsDrafts: true }
  ? 'draft'
  : 'draft' extends Status
    ? 'draft'
    : 'published';

/** `undefined` for an option that a query does not have. */
type OptionOf<Given, Option> = Option extends keyof Given ? Given[Option] : undefined;

/** The same with the parts of the query apart. One mapped type takes the compiler half as long as an intersection of two. */
export type EntryWith<Type extends ContentType, Fields, Populate, S extends State> = {
  [Name in SelectedName<Type, Fields> | PopulatedName<Type, Populate>]: Name extends keyof Type['scalars']
    ? Type['scalars'][Name][S]
    : LinkValue<LinkOf<Type, Name>, OptionsOf<Populate, Name>, S>;
};

/** All names where `fields` is absent, has a star, or is not known to the compiler. */
type SelectedName<Type extends ContentType, Fields> = Fields extends undefined
  ? keyof Type['scalars']
  : Fields extends readonly (infer Name)[]
    ? NamedOf<Type, Name>
    : NamedOf<Type, Fields>;
type NamedOf<Type extends ContentType, Name> = [Name] extends [string]
  ? '*' extends Name
    ? keyof Type['scalars']
    : keyof Type['scalars'] & (Name | 'id' | 'documentId')
  : keyof Type['scalars'];

type PopulatedName<Type extends ContentType, Populate> = Populate extends undefined
  ? never
  : LinkName<Type> &
      (Populate extends string
        ? FirstOf<Populate>
        : Populate extends readonly (infer Path)[]
          ? FirstOf<Path>
          : { [Name in keyof Populate]: Populate[Name] extends false | undefined ? never : Name }[keyof Populate]);

/** The first name of a path. `unknown` for a star, which stands for all names. */
type FirstOf<Path> = '*' extends Path ? unknown : Path extends `${infer Name}.${string}` ? Name : Path;

/** What a name is populated with. */
type OptionsOf<Populate, Name> = Populate extends string
  ? PathOptions<Populate, Name>
  : Populate extends readonly (infer Path)[]
    ? PathOptions<Path, Name>
    : OptionOf<Populate, Name>;
type PathOptions<Path, Name> = [RestOf<Path, Name>] extends [never]
  ? true
  : { readonly populate: readonly RestOf<Path, Name>[] };
type RestOf<Path, Name> = Path extends `${Name & string}.${infer Rest}` ? Rest : never;

type LinkValue<Link, Options, S extends State> = Options extends { readonly count: true }
  ? { count: number }
  : Link extends { readonly target: infer Target extends ContentType; readonly link: infer Kind }
    ? Kind extends 'one'
      ? Related<Target, Options, S> | (Link extends { readonly [Key in S]: infer Empty } ? Empty : never)
      : Link extends { readonly options: infer Can }
        ? WrappedIf<Options extends { readonly filters: object } ? 'wrap' : never, Can, Related<Target, Options, S>[]>
        : never
    : Link extends { readonly targets: infer Targets; readonly link: infer Kind }
      ? Kind extends 'zone'
        ? OfSeveral<Targets, Options, '__component', S>[]
        : Kind extends 'oneOfAny'
          ? OfAny<Targets, Options, S> | null
          : OfAny<Targets, Options, S>[]
      : never;

type WrappedIf<Wrap, Can, List> = [Wrap & Can] extends [never] ? List : { data: List };

type Related<Type extends ContentType, Options, S extends State> = EntryWith<
  Type,
  OptionOf<Options, 'fields'>,
  OptionOf<Options, 'populate'>,
  S
>;

/** Entries of several types, each with the uid of its own. `on` chooses the types. */
type OfSeveral<Targets, Options, Mark extends string, S extends State> = Options extends {
  readonly on: infer Fragments;
}
  ? { [Uid in keyof Fragments & keyof Targets]: Marked<Targets[Uid], Uid, Fragments[Uid], Mark, S> }[keyof Fragments &
      keyof Targets]
  : { [Uid in keyof Targets]: Marked<Targets[Uid], Uid, Options, Mark, S> }[keyof Targets];

type Marked<Type, Uid, Options, Mark extends string, S extends State> = Type extends ContentType
  ? { [Name in Mark]: Uid } & Related<Type, Options, S>
  : never;

/** Without `on`, the compiler only knows what every entry has. */
type OfAny<Targets, Options, S extends State> = Options extends { readonly on: object }
  ? OfSeveral<Targets, Options, '__type', S>
  : { __type: string; id: number; documentId: string; [attribute: string]: unknown };
