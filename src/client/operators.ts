/** The operators of filters, as objects hold them. Nothing here exists at run time. */

/** Of JSON and blocks. */
export interface PresenceOperators {
  $null?: boolean;
  $notNull?: boolean;
}

/** Of booleans. */
export interface EqualityOperators<Operand> extends PresenceOperators {
  $eq?: Operand | null;
  $ne?: Operand | null;
  $in?: readonly Operand[];
  $notIn?: readonly Operand[];
}

/** Of numbers and times. */
export interface OrderOperators<Operand> extends EqualityOperators<Operand> {
  $lt?: Operand;
  $lte?: Operand;
  $gt?: Operand;
  $gte?: Operand;
  $between?: readonly [Operand, Operand];
}

/** Of texts. */
export interface TextOperators<Operand> extends OrderOperators<Operand> {
  $eqi?: string;
  $nei?: string;
  $contains?: string;
  $notContains?: string;
  $containsi?: string;
  $notContainsi?: string;
  $startsWith?: string;
  $startsWithi?: string;
  $endsWith?: string;
  $endsWithi?: string;
}

/** Conditions that are combined. */
export interface Group<Inner> {
  $and?: readonly Inner[];
  $or?: readonly Inner[];
  $not?: Inner;
}

/** Operators of one attribute. Lectern also takes `$and` and `$or` of them, on which Strapi fails. */
export type Comparing<Operators> = Operators & { $not?: Operators };
