/** See "Forms of a query" in docs/architecture.md. */
import type { BoundQuery } from '../query/bound.ts';
import type { ReplyHeaders } from '../query/reply/reply.ts';
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
