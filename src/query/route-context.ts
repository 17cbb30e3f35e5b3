import type { EntryType } from '../model/schema/schema.ts';
import type { Page } from './bound.ts';
import type { RootPageNode } from './syntax/parameter-nodes.ts';

/** How the page of a route is bound: from `pagination`, not at all, or from other parameters. */
export type Paging = 'pagination' | 'none' | ((root: RootPageNode) => Page);

/** The properties of a route that decide how its query is read. */
export interface RouteContext {
  readonly type: EntryType;
  readonly paging: Paging;
  /** `locale` may list several locales. */
  readonly takesSeveralLocales: boolean;
  /** The route reads one entry or counts, so a dialect may reject filters and sorts that it answers for lists only. */
  readonly checksAnswerable: boolean;
  /** The path names a document. */
  readonly namesDocument: boolean;
  /** The path names one row of a document, so no locale has to be chosen. */
  readonly namesRow: boolean;
  /** The type belongs to a plugin, such as files and users. Its rows have no drafts of their own. */
  readonly isPluginType: boolean;
}
