import type { EntryType } from '../model/schema.ts';
import type { Page } from './bound.ts';
import type { RootPageNode } from './syntax/parameter-nodes.ts';

/** How the page of a route is bound: from `pagination`, not at all, or from other parameters. */
export type Paging = 'pagination' | 'none' | ((root: RootPageNode) => Page);

/** The properties of a route that decide how its query is read. */
export interface RouteContext {
  readonly type: EntryType;
  /**
   * `list` is in an envelope, `bareList` is not. `entry` must match the filter. Of a `populatedEntry`, the query only
   * populates relations.
   */
  readonly serves: 'list' | 'bareList' | 'entry' | 'populatedEntry' | 'count';
  readonly paging: Paging;
  /** The path names a document. */
  readonly namesDocument: boolean;
  /** The path names one row of a document, so no locale has to be chosen. */
  readonly namesRow: boolean;
  /** The type belongs to a plugin, such as files and users. Its rows have no drafts of their own. */
  readonly isPluginType: boolean;
}
