/**
 * Describes content types to the compiler. `lectern types` writes one interface for each content type and component, in
 * these terms. Nothing here exists at run time.
 */

/** `always`: every entry has a value. `required`: published entries have one. */
export type Presence = 'always' | 'required' | 'optional';

/** What values can be compared for: parts of a text, their order, equality, or nothing but presence. */
export type Comparison = 'text' | 'order' | 'equality' | 'presence';

/**
 * A scalar attribute. `value` is what replies hold, `operand` what filters compare it with, and `compares` names the
 * operators that fit.
 */
export interface Scalar<Value, Operand, Compares extends Comparison, P extends Presence> {
  readonly value: Value;
  readonly operand: Operand;
  readonly compares: Compares;
  readonly presence: P;
}

/** string, text, richtext, email and uid. */
export type Text<P extends Presence = 'optional'> = Scalar<string, string, 'text', P>;
/** An enumeration. Filters may compare it with its values, or with parts of them. */
export type Enumeration<Value extends string, P extends Presence = 'optional'> = Scalar<Value, Value, 'text', P>;
/** integer, float and decimal. */
export type Numeric<P extends Presence = 'optional'> = Scalar<number, number, 'order', P>;
/** biginteger and timestamp, which replies hold as text. */
export type BigInteger<P extends Presence = 'optional'> = Scalar<string, string | number | bigint, 'order', P>;
export type Flag<P extends Presence = 'optional'> = Scalar<boolean, boolean, 'equality', P>;
/** datetime: `2026-01-31T09:30:00.000Z`. */
export type DateTime<P extends Presence = 'optional'> = Scalar<string, string | Date, 'order', P>;
/** date: `2026-01-31`. */
export type Day<P extends Presence = 'optional'> = Scalar<string, string, 'order', P>;
/** time: `09:30:00.000`. */
export type Time<P extends Presence = 'optional'> = Scalar<string, string, 'order', P>;
/** blocks: rich text as a list of blocks. */
export type Blocks<P extends Presence = 'optional'> = Scalar<Block[], never, 'presence', P>;
/** json and array. Narrow the value before you use it. */
export type Json<P extends Presence = 'optional'> = Scalar<unknown, never, 'presence', P>;
export type List<P extends Presence = 'optional'> = Scalar<unknown[], never, 'presence', P>;

/** A block of rich text, or a node in one. */
export interface Block {
  type: string;
  children?: Block[];
  text?: string;
  [property: string]: unknown;
}

/** A relation, media attribute or component that leads to one entry. `Options` are what `populate` and filters may do. */
export interface One<Type, Options extends LinkOption = never, P extends Presence = 'optional'> {
  readonly link: 'one';
  readonly target: Type;
  readonly options: Options;
  readonly presence: P;
}

/** One that leads to a list of entries. */
export interface Many<Type, Options extends LinkOption = never> {
  readonly link: 'many';
  readonly target: Type;
  readonly options: Options;
}

/**
 * `count`: `populate` may ask for the number of entries. `filter`: filters and sorts lead through it. `wrap`: populated
 * with filters, it is an object with the list as `data`.
 */
type LinkOption = 'count' | 'filter' | 'wrap';

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
  /** The locales of its entries. `never` if they have none. */
  readonly locale: string;
  /** The statuses that a query may ask for. */
  readonly status: 'draft' | 'published';
  /** By name. */
  readonly attributes: object;
}

/** Content types by the name of their route. */
export type ContentSchema = object;

type AnyScalar = { readonly value: unknown };

/** Names of the scalar attributes of a type. */
export type ScalarName<Type extends ContentType> = {
  [Name in keyof Type['attributes']]: Type['attributes'][Name] extends AnyScalar ? Name : never;
}[keyof Type['attributes']] &
  string;

/** Names of the relations, media attributes, components and dynamic zones of a type. */
export type LinkName<Type extends ContentType> = {
  [Name in keyof Type['attributes']]: Type['attributes'][Name] extends AnyScalar ? never : Name;
}[keyof Type['attributes']] &
  string;

/** Names of the attributes through which filters and sorts may lead. */
export type PathName<Type extends ContentType> = {
  [Name in keyof Type['attributes']]: Type['attributes'][Name] extends { readonly options: infer Options }
    ? 'filter' extends Options
      ? Name
      : never
    : never;
}[keyof Type['attributes']] &
  string;

/** The type that a link leads to, as the compiler may rely on. */
export type TargetOf<Link> = Link extends { readonly target: infer Target extends ContentType } ? Target : never;
