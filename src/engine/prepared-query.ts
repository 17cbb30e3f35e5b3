import type { Schema } from '../model/schema/schema.ts';
import { bindPagination } from '../query/bind/bind-page.ts';
import type { BoundQuery } from '../query/bound.ts';
import { boundBytes, dataBytes } from '../query/bound-size.ts';
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
