/** The syntax of `pagination` and of parameters that hold one value, such as `status`, `locale` and `_q`. */
import { isPlainObject } from '../../core/plain-object.ts';

/** A parameter, by the form of its value. */
export type ParameterNode = EmptyParameter | TextParameter | ListParameter | OtherParameter;

interface ParameterBase {
  /** The name of the parameter, which is also the path of its value. */
  readonly param: string;
  /** As the query gives it, for messages and casts. */
  readonly raw: unknown;
}

/** Undefined if the query lacks the parameter, null if it has no value. */
interface EmptyParameter extends ParameterBase {
  readonly kind: 'empty';
  readonly raw: undefined | null;
}

interface TextParameter extends ParameterBase {
  readonly kind: 'text';
  readonly raw: string;
}

export interface ListParameter extends ParameterBase {
  readonly kind: 'list';
  readonly raw: readonly unknown[];
}

/** An object, or a number or a boolean, which only programs give. */
interface OtherParameter extends ParameterBase {
  readonly kind: 'other';
}

export function parseParameter(param: string, raw: unknown): ParameterNode {
  if (raw === undefined || raw === null) return { kind: 'empty', param, raw };
  if (typeof raw === 'string') return { kind: 'text', param, raw };
  return Array.isArray(raw) ? { kind: 'list', param, raw } : { kind: 'other', param, raw };
}

/** `pagination`, as `pagination[page]=2` gives it. */
export interface PaginationNode {
  /** Every key, known or not, with its value. Null if the parameter is no object. */
  readonly members: Readonly<Record<string, unknown>> | null;
  readonly raw: unknown;
}

/** Parses `pagination`. Null if the query lacks it. */
export function parsePagination(raw: unknown): PaginationNode | null {
  if (raw === undefined) return null;
  if (raw === null) return { members: {}, raw };
  return { members: isPlainObject(raw) ? raw : null, raw };
}

/** Page parameters outside of `pagination`. */
export interface RootPageNode {
  readonly page: ParameterNode;
  readonly pageSize: ParameterNode;
  readonly start: ParameterNode;
  readonly limit: ParameterNode;
}

/** The syntax of `fields`: names between commas, a star, or a list of those. */

export interface FieldsNode {
  /** The items of the list, or the only text. Those that are no texts are mistakes. */
  readonly items: readonly unknown[];
  readonly isList: boolean;
  readonly raw: unknown;
}

/** Parses `fields`. Null if there are none. */
export function parseFields(raw: unknown): FieldsNode | null {
  if (raw === undefined || raw === null) return null;
  return { items: [raw].flat(), isList: Array.isArray(raw), raw };
}
