/**
 * The forms of a query, from the schema to one request:
 * - A bound query (`query/bound.ts`) is plain data: names are resolved and values cast.
 * - A prepared query (`prepared-query.ts`) is a bound query with placeholders for the values of requests, and the reply
 *   template of these requests. It depends on the schema and survives a change of content.
 * - A compiled query is what one store adds to a reply template. It is dropped with the store.
 * - A bound request is a bound query with values, its reply template, and the entry that the path names.
 */
import type { BoundQuery } from '../query/bound.ts';
import type { EntryProjection, SharedParts } from '../query/reply/projection.ts';
import type { ReplyHeaders } from '../query/reply/reply.ts';
import type { Segment } from '../store/segment.ts';
import type { Store } from '../store/store.ts';
import type { QueryRoute } from './routes/routes.ts';

/** `nested`: fields in `attributes` and relations in `data`, as Strapi 4 wrote its own types. */
export type Format = 'flat' | 'nested';

/** What the replies to one form of query share. Depends on schema, dialect, settings and caller, and on no value. */
export interface ReplyTemplate {
  /** The route as it was bound. Requests that share a template may name different entries in their paths. */
  readonly route: QueryRoute;
  /** The route's path with the prefix, as logs and metrics name it. */
  readonly routeName: string;
  /** It belongs to a prepared query. Otherwise one request uses it, and nothing is kept for it. */
  readonly isShared: boolean;
  /** The reply lists all entries, not one page of them. */
  readonly isWhole: boolean;
  readonly format: Format;
  /** Paths in the query that the caller may not read. The reply leaves them out. */
  readonly omitted: readonly string[];
  /** The caller may list users, so roles show how many users they have. */
  readonly countsUsers: boolean;
  /** Localizations that are on the same page as their entry are left out of it. */
  readonly hidesLocalizations: boolean;
  /** The headers of replies that depend on neither content nor body. */
  readonly headers: ReplyHeaders;
}

/** What one store adds to a reply template. Filled in by its first requests. */
export class CompiledQuery {
  /** The projection, if it is the same for every request. */
  projection: EntryProjection | null = null;
  /** The parts of the projection that are the same for every request. */
  parts: SharedParts | null = null;
  /**
   * Bytes of the last reply: the next one starts with a buffer of this size. Copying a reply of 20 to 500 KB together
   * then takes 0.5 to 0.8 of the time.
   */
  sizeHint: number;
  /** The headers of a reply with a body. */
  headers: ReplyHeaders | null = null;
  /** The numbers of the collections that the query reads. */
  readonly types: readonly number[];
  #store: Store | null;
  #segments: readonly Segment[];

  constructor(types: readonly number[] = [], store: Store | null = null, sizeHint = 0) {
    this.types = types;
    this.sizeHint = sizeHint;
    this.#store = store;
    this.#segments = types.map((number) => store!.segments[number]);
  }

  /** Returns whether it is right for a store: the one that it was made for, or one whose changes do not concern it. */
  fits(store: Store): boolean {
    if (store === this.#store) return true;
    const isCurrent = this.#segments.length > 0 && this.types.every((n, i) => store.segments[n] === this.#segments[i]);
    if (!isCurrent) return false;
    this.#store = store;
    this.headers = null;
    return true;
  }

  /** Gives up what belongs to the store that it was made for, so that it does not keep the store in memory. */
  release(): void {
    this.projection = null;
    this.parts = null;
    this.headers = null;
    this.#store = null;
    this.#segments = [];
  }
}

/** Which entry a path names. */
export interface RowKey {
  readonly attribute: 'id' | 'documentId';
  readonly operand: string | number;
}

/** A request that can be executed. */
export interface BoundRequest {
  readonly template: ReplyTemplate;
  readonly query: BoundQuery;
  /** Null where the path names no entry. */
  readonly key: RowKey | null;
}
