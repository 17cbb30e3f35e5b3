/** The errors of binding. Each dialect words them. */
import type { ValidationError } from '../core/errors.ts';
import type { EntryType, PolymorphicAttribute, ScalarAttribute, ScalarType } from '../model/schema/schema.ts';
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
 * Each method returns the error to throw. Paths are relative to their part. Errors do not reveal attributes that are
 * not accessible to the caller (`isAccessible`).
 */
export interface ErrorPolicy {
  /** A name that cannot be used: the type has no such attribute, it is not accessible, or it is of the wrong kind. */
  wrongName(context: BindingContext, type: EntryType, nameUse: NameUse): ValidationError;
  /** A name that no type has. */
  unknownName(part: Part, name: string, parent: Path): ValidationError;
  /** A key in `filters` that should be an operator. It applies to `subject`; null where there is nothing to compare. */
  wrongKey(part: Part, key: string, path: Path, subject: ScalarAttribute | null, value: unknown): ValidationError;
  /** A value where `$and`, `$or`, `$not` or a list expects conditions. */
  notAGroup(part: Part, key: string, path: Path, value: unknown): ValidationError;
  wrongFilters(part: Part, value: unknown): ValidationError;
  wrongOperand(place: OperandPlace, value: unknown, expected: Expected): ValidationError;
  unsupportedOperator(place: OperandPlace, type: ScalarType, value: unknown): ValidationError;
  notAPair(place: OperandPlace, values: readonly unknown[]): ValidationError;

  /** A sort that is no text, list or object, or an order of the wrong type. `path` is null for the sort itself. */
  wrongSort(part: Part, path: Path, value: unknown): ValidationError;
  mixedSort(part: Part, value: unknown): ValidationError;
  wrongOrder(part: Part, path: string, value: unknown): ValidationError;

  wrongFields(part: Part, value: unknown): ValidationError;

  wrongPopulate(place: PopulatePlace, value: unknown): ValidationError;
  /** Text or a list in place of the options of `target`. */
  notOptions(context: BindingContext, place: PopulatePlace, target: EntryType, value: unknown): ValidationError;
  /** An option that does not exist. */
  unknownOption(
    context: BindingContext,
    place: PopulatePlace,
    target: EntryType,
    key: string,
    allowed: Iterable<string>,
    value: unknown,
  ): ValidationError;
  /** Options without `on` for an attribute that leads to several types. */
  missingOn(place: PopulatePlace, type: EntryType, attribute: PolymorphicAttribute, value: unknown): ValidationError;
  /** The option `populate` of an attribute that leads to several types. */
  populateWithoutOn(
    place: PopulatePlace,
    type: EntryType,
    attribute: PolymorphicAttribute,
    value: unknown,
  ): ValidationError;
  /** `on` for an attribute that leads to one type. */
  needlessOn(place: PopulatePlace, type: EntryType, name: string, value: unknown): ValidationError;
  wrongOn(place: PopulatePlace, value: unknown): ValidationError;
  /** A type in `on` that does not exist; `known` are those that the caller may choose. */
  unknownType(place: PopulatePlace, uid: string, known: Iterable<string>): ValidationError;
  wrongCount(place: PopulatePlace, value: unknown): ValidationError;

  mixedPagination(page: string, offset: string): ValidationError;
  /** A page, size, start or limit. `number` is the parsed value. */
  wrongPageNumber(key: string, value: unknown, number: number): ValidationError;
  wrongWithCount(value: unknown): ValidationError;

  /** A parameter that takes one of some words. */
  unknownChoice(node: ParameterNode, known: readonly string[]): ValidationError;
  wrongPublishedFlag(node: ParameterNode): ValidationError;
  /** A parameter that takes text. */
  notText(node: ParameterNode): ValidationError;
  /** Several locales for one document. */
  severalLocales(node: ListParameter): ValidationError;
}
