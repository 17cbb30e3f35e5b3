import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RouteDescription, TypeDescription } from '../../description/describe-schema.ts';
import type { SchemaReply } from '../../description/schema-reply.ts';
import type { ExploredQuery, FilterChip } from '../query/explored-query.ts';
import type { Credentials } from './fetched.ts';
import type { HistoryMode } from './use-page-state.ts';

/** A filter without a value. */
export interface FilterDraft {
  /** The path of the list that it filters. */
  readonly list: string;
  readonly chip: FilterChip;
  /** Another number for each time that the focus has to move to the value. */
  readonly focus: number;
  /** The position of the group that it belongs to. */
  readonly group?: number;
}

/** The schema, and what stands before the prefix in addresses: behind a proxy, only the page knows. */
export interface ExploredSchema extends SchemaReply {
  readonly base: string;
}

/** What every part of the page reads and changes. */
export interface Explored {
  readonly schema: ExploredSchema;
  readonly credentials: Credentials;
  readonly query: ExploredQuery;
  /** The URL that is explored, below the prefix. */
  readonly url: string;
  /** The route of the query. Null if none that the caller may request has its path. */
  readonly route: RouteDescription | null;
  /** The type of its entries. */
  readonly type: TypeDescription | null;
  /** Whether the query finds a list. */
  readonly isList: boolean;
  edit(change: (query: ExploredQuery) => ExploredQuery, mode?: HistoryMode): void;
  /** Explores another URL below the prefix. */
  open(url: string): void;
  /** The filter whose value is still to be given. It is not in the query yet. */
  readonly draft: FilterDraft | null;
  setDraft(draft: FilterDraft | null): void;
  /** Begins a filter on a path, which may end at a relation, and moves the focus to its value. `group` is its position. */
  beginFilter(path: readonly string[], group?: number): void;
}

/** Provides what `useExplored` returns. */
export const ExploredContext = createContext<Explored | null>(null);

/** Returns what is explored. */
export function useExplored(): Explored {
  return useContext(ExploredContext)!;
}

/** Returns the address of a URL below the prefix, on this server. */
export function addressOf({ base, prefix }: ExploredSchema, url: string): string {
  return `${base}${prefix}/${url}`;
}
