/**
 * Prepared queries come in two halves. `PreparedQuery` depends on the schema alone and survives a change of content.
 * `CompiledQuery` depends on the rows of one store and is dropped with it.
 */
import type { BoundQuery } from '../query/bound.ts';
import type { EntryProjection, SharedParts } from '../reply/projection.ts';
import type { ReplyHeaders } from '../reply/reply.ts';
import type { QueryRoute } from './routes.ts';

/** `nested`: fields in `attributes` and relations in `data`, as Strapi 4 wrote its own types. */
export type Format = 'flat' | 'nested';

/** The half of a prepared query that depends on schema, dialect, settings and caller. */
export interface PreparedQuery {
  /** The route as it was bound. Requests of one prepared query may name different entries in their paths. */
  readonly route: QueryRoute;
  /** The route's path with the prefix, as logs and metrics name it. */
  readonly routeName: string;
  /** The bound query. Placeholders stand for the values that each request brings. */
  readonly query: BoundQuery;
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

/** The half that depends on one store. */
export class CompiledQuery {
  /** The projection, if it is the same for every request. */
  projection: EntryProjection | null = null;
  /** The parts of the projection that are the same for every request. */
  parts: SharedParts | null = null;
  /** Bytes of the last reply: the next one starts with a buffer of this size. */
  sizeHint = 0;
  /** The headers of a reply with a body. */
  headers: ReplyHeaders | null = null;
}

/** Which entry a path names. */
export interface RowKey {
  readonly attribute: 'id' | 'documentId';
  readonly operand: string | number;
}

/** One request: a prepared query with its values filled in. */
export interface PreparedRequest {
  readonly prepared: PreparedQuery;
  /** The prepared query serves other requests too, so its compiled half is worth keeping. */
  readonly isReusable: boolean;
  readonly query: BoundQuery;
  /** Null where the path names no entry. */
  readonly key: RowKey | null;
}
