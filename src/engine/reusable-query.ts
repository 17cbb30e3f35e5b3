import { bindPagination } from '../query/bind/bind-page.ts';
import { boundBytes, dataBytes } from '../query/bound-size.ts';
import { fillPlaceholders, type Placeholders } from '../query/placeholders.ts';
import type { Binding } from '../query/policies.ts';
import type { PaginationNode } from '../query/syntax/parameter-nodes.ts';
import type { PreparedQuery, PreparedRequest } from './prepared-query.ts';
import { keyOf } from './route-context.ts';
import type { QueryRoute } from './routes.ts';

/** Bytes of a prepared query without conditions: its objects, and the headers of its replies as they are sent. */
const emptyQueryBytes = 3200;

/** Returns `pagination` with the values of a request in place of placeholders. */
type PaginationFiller = (values: readonly string[]) => PaginationNode;

/** A prepared query with placeholders, which are filled in for each request. */
export class ReusableQuery {
  /** Estimated bytes, the compiled half included. */
  readonly bytes: number;
  readonly #prepared: PreparedQuery;
  readonly #binding: Binding;
  readonly #placeholders: Placeholders;
  readonly #fillPagination: PaginationFiller | null;

  /** `form` is the query string with placeholders. `pagination` is what each request binds; null if it binds none. */
  constructor(
    prepared: PreparedQuery,
    binding: Binding,
    placeholders: Placeholders,
    form: string,
    pagination: PaginationNode | null,
  ) {
    this.#prepared = prepared;
    this.#binding = binding;
    this.#placeholders = placeholders;
    this.#fillPagination = pagination && createPaginationFiller(pagination);
    // the parsed query refers to parts of the text, and so holds it a second time
    const textBytes = 2 * form.length + dataBytes(pagination?.raw);
    this.bytes = emptyQueryBytes + textBytes + boundBytes(binding.schema, prepared.query) + dataBytes(prepared.omitted);
  }

  /** Fills in the values of a request. Throws what their casts throw. */
  request(route: QueryRoute, values: readonly string[]): PreparedRequest {
    const prepared = this.#prepared;
    const { filter, page } = prepared.query;
    const query = {
      ...prepared.query,
      filter: filter && this.#placeholders.bind(filter, values),
      page: this.#fillPagination ? bindPagination(this.#binding, this.#fillPagination(values)) : page,
    };
    return { prepared, isReusable: true, query, key: keyOf(route, null) };
  }
}

function createPaginationFiller({ members, raw }: PaginationNode): PaginationFiller {
  if (members === null) return (values) => ({ members, raw: fillPlaceholders(raw, values) });
  // parsed objects have no prototype, and listing their entries is slow
  const entries = Object.entries(members);
  return (values) => {
    const filled: Record<string, unknown> = {};
    for (const [name, value] of entries) filled[name] = fillPlaceholders(value, values);
    return { members: filled, raw: filled };
  };
}
