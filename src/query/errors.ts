/** The errors of binding. Each dialect words them. */
import type { ValidationError } from '../base/errors.ts';
import type { EntryType, PolymorphicAttribute, ScalarAttribute, ScalarType } from '../model/schema.ts';
import type { BindingContext } from './bind/context.ts';
import type { OperandPlace, Part, Path, PopulatePlace } from './syntax/location.ts';
import type { ListParameter, ParameterNode } from './syntax/parameter-nodes.ts';

/** How a query uses an attribute. */
export type Use = 'filter' | 'sort' | 'field' | 'populate';

/** A name, and where and how a query uses it. */
export interface NameUse {
  readonly part: Part;
  readonly name: string;
  /** The path of what holds the attribute. */
  readonly parent: Path;
  readonly use: Use;
  /** The text in the query that holds the name, if it holds more. */
  readonly value?: unknown;
  /** The keys of the query that lead to the name, where they differ from the attributes. */
  readonly keyPath?: Path;
}

/** What was expected in place of a value. */
export type Expected =
  | 'single'
  | 'text'
  | 'time value'
  | 'boolean'
  | 'JSON'
  | 'shallow JSON'
  | 'whole number'
  | 'number'
  | 'date'
  | 'existing date'
  | 'datetime'
  | 'time';

/**
 * Each method returns the error to throw. Paths are relative to their part. Errors do not reveal attributes that are not
 * visible to the caller (`isVisible`).
 */
export interface ErrorPolicy {
  /** A name that cannot be used: the type has no such attribute, it is not visible, or it is of the wrong kind. */
  wrongName(context: BindingContext, type: EntryType, nameUse: NameUse): ValidationError;
  /** A name that no type has. */
  unknownName(part: Part, name: string, parent: Path): ValidationError;
  /** A key in `filters` that should be an operator. It applies to `subject`; null where there is nothing to compare. */
  operator(part: Part, key: string, path: Path, subject: ScalarAttribute | null, value: unknown): ValidationError;
  /** A value where `$and`, `$or`, `$not` or a list expects conditions. */
  group(part: Part, key: string, path: Path, value: unknown): ValidationError;
  filtersForm(part: Part, value: unknown): ValidationError;
  operand(place: OperandPlace, value: unknown, expected: Expected): ValidationError;
  operatorOnType(place: OperandPlace, type: ScalarType, value: unknown): ValidationError;
  pair(place: OperandPlace, values: readonly unknown[]): ValidationError;

  /** A sort that is no text, list or object, or an order of the wrong type. `path` is null for the sort itself. */
  sortForm(part: Part, path: Path, value: unknown): ValidationError;
  mixedSort(part: Part, value: unknown): ValidationError;
  order(part: Part, path: string, value: unknown): ValidationError;

  fieldsForm(part: Part, value: unknown): ValidationError;

  populateForm(place: PopulatePlace, value: unknown): ValidationError;
  /** Text or a list in place of the options of `target`. */
  options(context: BindingContext, place: PopulatePlace, target: EntryType, value: unknown): ValidationError;
  /** An option that does not exist. */
  option(
    context: BindingContext,
    place: PopulatePlace,
    target: EntryType,
    key: string,
    allowed: Iterable<string>,
    value: unknown,
  ): ValidationError;
  /** Options that name none of the several types that an attribute leads to. */
  severalTypes(place: PopulatePlace, type: EntryType, attribute: PolymorphicAttribute, value: unknown): ValidationError;
  /** The option `populate` of an attribute that leads to several types. */
  populateOfSeveral(
    place: PopulatePlace,
    type: EntryType,
    attribute: PolymorphicAttribute,
    value: unknown,
  ): ValidationError;
  /** `on` for an attribute that leads to one type. */
  onOfOne(place: PopulatePlace, type: EntryType, name: string, value: unknown): ValidationError;
  onForm(place: PopulatePlace, value: unknown): ValidationError;
  /** A type in `on` that does not exist; `known` are those that the caller may choose. */
  typeName(place: PopulatePlace, uid: string, known: Iterable<string>): ValidationError;
  wrongCount(place: PopulatePlace, value: unknown): ValidationError;

  mixedPagination(page: string, offset: string): ValidationError;
  /** A page, size, start or limit. `number` is the parsed value. */
  window(key: string, value: unknown, number: number): ValidationError;
  wrongWithCount(value: unknown): ValidationError;

  /** A parameter that takes one of some words. */
  choice(node: ParameterNode, known: readonly string[]): ValidationError;
  publishedFlag(node: ParameterNode): ValidationError;
  /** A parameter that takes text. */
  notText(node: ParameterNode): ValidationError;
  /** Several locales for one document. */
  severalLocales(node: ListParameter): ValidationError;
}
