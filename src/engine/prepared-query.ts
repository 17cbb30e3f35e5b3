import { type EntryType, isPolymorphic, type Schema } from '../model/schema/schema.ts';
import { bindPagination } from '../query/bind/bind-page.ts';
import type { BoundQuery, Condition, Populated, Selection, SortKey } from '../query/bound.ts';
import { fillPlaceholders, type Placeholders } from '../query/placeholders.ts';
import type { Binding } from '../query/policies.ts';
import type { PaginationNode } from '../query/syntax/parameter-nodes.ts';
import type { ReplyTemplate } from './bound-request.ts';

/** Bytes of a prepared query without conditions: its objects, and the headers of its replies as they are sent. */
const emptyQueryBytes = 3200;

/** Returns `pagination` with the values of a request in place of placeholders. */
type PaginationFiller = (values: readonly string[]) => PaginationNode;

/** The form that a prepared query is made of. */
export interface PreparedForm {
  /** The query string with placeholders. */
  readonly text: string;
  readonly placeholders: Placeholders;
  /** What each request binds; null if the page of the bound query is that of every request. */
  readonly pagination: PaginationNode | null;
}

/** A bound query with placeholders for operands of its filter and for its page. */
export class PreparedQuery {
  readonly template: ReplyTemplate;
  /** With placeholders, so only `fill` uses it. */
  readonly #query: BoundQuery;
  readonly #binding: Binding;
  readonly #placeholders: Placeholders;
  readonly #fillPagination: PaginationFiller | null;
  /** Estimated bytes of the texts of the form. */
  readonly #formBytes: number;

  constructor(template: ReplyTemplate, query: BoundQuery, binding: Binding, form: PreparedForm) {
    const { text, placeholders, pagination } = form;
    this.template = template;
    this.#query = query;
    this.#binding = binding;
    this.#placeholders = placeholders;
    this.#fillPagination = pagination && createPaginationFiller(pagination);
    // the parsed query refers to parts of the text, and so holds it a second time
    this.#formBytes = 2 * text.length + dataBytes(pagination?.raw);
  }

  /** Returns the bound query with the values of a request. Throws what their casts throw. */
  fill(values: readonly string[]): BoundQuery {
    const { filter, page } = this.#query;
    return {
      ...this.#query,
      filter: filter && this.#placeholders.fill(filter, values),
      page: this.#fillPagination ? bindPagination(this.#binding, this.#fillPagination(values)) : page,
    };
  }

  /** Estimates the bytes that it takes, with what stores add to it. */
  bytes(schema: Schema): number {
    return emptyQueryBytes + this.#formBytes + boundBytes(schema, this.#query) + dataBytes(this.template.omitted);
  }
}

function createPaginationFiller({ members, raw }: PaginationNode): PaginationFiller {
  if (members === null) return (values) => ({ members, raw: fillPlaceholders(raw, values) });
  // listing the entries once takes a request from 864 to 64 ns: parsed objects have no prototype, which makes it slow
  const entries = Object.entries(members);
  return (values) => {
    const filled: Record<string, unknown> = {};
    for (const [name, value] of entries) filled[name] = fillPlaceholders(value, values);
    return { members: filled, raw: filled };
  };
}

// Estimates of memory, for the byte budget of prepared queries. They err on the high side.

/** Bytes of an object or list without contents, of a text without characters, and of a reference. */
const objectBytes = 56;
const textBytes = 32;
const referenceBytes = 8;

/** Bytes of an object without prototype, as the query parser returns, and of each property. */
const groupBytes = 224;
const propertyBytes = 72;

/** Bytes of a comparison with its list of operands and the function that casts them. */
const conditionBytes = 480;

const sortKeyBytes = 120;
/** Bytes of the function that ranks populated rows by a sort key. */
const ranksBytes = 240;

/** Bytes of a populated attribute and its projection, and of each type that it leads to. */
const populatedBytes = 480;
const fragmentBytes = 480;
/** Bytes of the name of a field, and of its fragment range. */
const fieldBytes = 40;

/**
 * Bytes of a type in the list of projections of a polymorphic relation. The list is indexed by type number, and it is
 * dense up to about this length.
 */
const typeBytes = 16;
const mostListedTypes = 1600;

/** Returns the bytes of a bound query and its projection. */
function boundBytes(schema: Schema, { type, filter, sort, selection }: BoundQuery): number {
  const selected = new SelectionSize(schema).of(schema.type(type), selection);
  return objectBytes * 4 + filterBytes(filter) + sortBytes(sort, sortKeyBytes) + selected;
}

/** Returns the bytes of plain data, such as lists, objects and texts. */
function dataBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    return value.reduce((bytes: number, item) => bytes + referenceBytes + dataBytes(item), objectBytes);
  }
  return Object.entries(value).reduce(
    (bytes, [key, item]) => bytes + propertyBytes + 2 * key.length + dataBytes(item),
    groupBytes,
  );
}

function filterBytes(condition: Condition | null): number {
  if (condition === null) return 0;
  switch (condition.kind) {
    case 'value':
      return conditionBytes + dataBytes(condition.operands);
    case 'related':
    case 'not':
      return 2 * objectBytes + filterBytes(condition.condition);
    case 'all':
    case 'any':
      return condition.conditions.reduce((bytes, part) => bytes + referenceBytes + filterBytes(part), 2 * objectBytes);
    default:
      return condition satisfies never;
  }
}

function sortBytes(sort: readonly SortKey[], perKey: number): number {
  return sort.reduce((bytes, { path }) => bytes + perKey + path.length * referenceBytes, 0);
}

class SelectionSize {
  readonly #schema: Schema;
  readonly #listBytes: number;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#listBytes = Math.min(schema.types.size, mostListedTypes) * typeBytes;
  }

  of(type: EntryType, { fields, populate }: Selection): number {
    const own = 2 * objectBytes + (fields?.length ?? 0) * fieldBytes;
    return populate.reduce((bytes, populated) => bytes + this.#populated(type, populated), own);
  }

  #populated(type: EntryType, { attribute, sort, targets }: Populated): number {
    const own = populatedBytes + sortBytes(sort ?? [], sortKeyBytes + ranksBytes);
    const list = isPolymorphic(type.attributes.get(attribute)!) ? this.#listBytes : 0;
    return Object.entries(targets).reduce((bytes, [uid, selection]) => {
      return bytes + fragmentBytes + filterBytes(selection.filter) + this.of(this.#schema.type(uid), selection);
    }, own + list);
  }
}
