/**
 * Describes content types to the compiler. `lectern types` writes one interface for each content type and component, in
 * these terms. Nothing here exists at run time.
 */

import type { Comparing, EqualityOperators, OrderOperators, PresenceOperators, TextOperators } from './operators.ts';

/** `always`: every entry has a value. `required`: published entries have one. */
export type Presence = 'always' | 'required' | 'optional';

/** A scalar attribute: what replies hold, what filters compare it with, and the operators that fit. */
export interface Scalar<Value, Operand, Operators, P extends Presence> {
  /** The value in a published entry. */
  readonly published: P extends 'optional' ? Value | null : Value;
  /** The value in a draft, which may lack what published entries have. */
  readonly draft: P extends 'always' ? Value : Value | null;
  readonly operators: Operators;
  /** A value means `$eq`, and a list `$in`. */
  readonly filter: Operand | null | readonly Operand[] | Comparing<Operators>;
}

/** string, text, richtext, email and uid. */
export type Text<P extends Presence = 'optional'> = Scalar<string, string, TextOperators<string>, P>;
/** An enumeration. Filters may compare it with its values, or with parts of them. */
export type Enumeration<Value extends string, P extends Presence = 'optional'> = Scalar<
  Value,
  Value,
  TextOperators<Value>,
  P
>;
/** integer, float and decimal. */
export type Numeric<P extends Presence = 'optional'> = Scalar<number, number, OrderOperators<number>, P>;
/** biginteger and timestamp, which replies hold as text. */
export type BigInteger<P extends Presence = 'optional'> = Scalar<
  string,
  string | number | bigint,
  OrderOperators<string | number | bigint>,
  P
>;
export type Flag<P extends Presence = 'optional'> = Scalar<boolean, boolean, EqualityOperators<boolean>, P>;
/** datetime: `2026-01-31T09:30:00.000Z`. */
export type DateTime<P extends Presence = 'optional'> = Scalar<string, string | Date, OrderOperators<string | Date>, P>;
/** date: `2026-01-31`. */
export type Day<P extends Presence = 'optional'> = Scalar<string, string, OrderOperators<string>, P>;
/** time: `09:30:00.000`. */
export type Time<P extends Presence = 'optional'> = Scalar<string, string, OrderOperators<string>, P>;
/** blocks: rich text as a list of blocks. */
export type Blocks<P extends Presence = 'optional'> = Scalar<Block[], never, PresenceOperators, P>;
/** json and array. Narrow the value before you use it. */
export type Json<P extends Presence = 'optional'> = Scalar<unknown, never, PresenceOperators, P>;
export type List<P extends Presence = 'optional'> = Scalar<unknown[], never, PresenceOperators, P>;

/** A block of rich text, or a node in one. */
export interface Block {
  type: string;
  children?: Block[];
  text?: string;
  [property: string]: unknown;
}

/**
 * A relation, media attribute or component that leads to one entry. `count`: `populate` may ask for the number of entries.
 */
export interface One<Type, Options extends 'count' = never, P extends Presence = 'optional'> {
  readonly link: 'one';
  readonly target: Type;
  readonly options: Options;
  /** What stands in place of an entry in published entries, and in drafts. */
  readonly published: P extends 'optional' ? null : never;
  readonly draft: P extends 'always' ? never : null;
}

/** One that leads to a list of entries. `wrap`: populated with filters, it is an object with the list as `data`. */
export interface Many<Type, Options extends 'count' | 'wrap' = never> {
  readonly link: 'many';
  readonly target: Type;
  readonly options: Options;
}

/** A dynamic zone, with its components by uid. */
export interface Zone<Components> {
  readonly link: 'zone';
  readonly targets: Components;
}

/** A relation to one entry of any content type, with the types by uid. */
export interface OneOfAny<Types> {
  readonly link: 'oneOfAny';
  readonly targets: Types;
}

/** A relation to entries of any content type. */
export interface ManyOfAny<Types> {
  readonly link: 'manyOfAny';
  readonly targets: Types;
}

/** A content type or component. */
export interface ContentType {
  readonly kind: 'collectionType' | 'singleType' | 'component';
  /** The locales of the content. */
  readonly locale: string;
  /** The statuses that a query may ask for. */
  readonly status: 'draft' | 'published';
  /** `true` for types of which Strapi shows related drafts beside published entries. */
  readonly showsDrafts?: boolean;
  readonly scalars: { readonly [name: string]: Scalar<unknown, unknown, object, Presence> };
  /** Relations, components and media that filters and sorts may lead through. */
  readonly links: object;
  /** What only `populate` leads to: dynamic zones, relations to any content type, and some media. */
  readonly unfiltered: object;
}

/** Names of the scalar attributes of a type. */
export type ScalarName<Type extends ContentType> = keyof Type['scalars'] & string;

/** Names of the attributes through which filters and sorts may lead. */
export type PathName<Type extends ContentType> = keyof Type['links'] & string;

/** Names of all that `populate` leads to. */
export type LinkName<Type extends ContentType> = (keyof Type['links'] | keyof Type['unfiltered']) & string;

/** The relation, component, media attribute or dynamic zone of a name. */
export type LinkOf<Type extends ContentType, Name> = Name extends keyof Type['links']
  ? Type['links'][Name]
  : Name extends keyof Type['unfiltered']
    ? Type['unfiltered'][Name]
    : never;

/** The type that a link leads to. Links have no constraint, because comparing types that lead to one another is deep. */
export type TargetOf<Link> = Link extends { readonly target: infer Target extends ContentType } ? Target : never;
