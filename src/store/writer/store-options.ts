import type { StorePolicy } from '../../core/dialect.ts';
import type { Allocator } from '../../core/memory/allocator.ts';
import type { Rewrite } from './rows/media-urls.ts';

export interface StoreOptions {
  /** Appended to the message about a duplicate id. */
  readonly duplicateHint?: string;
  /** Localizations are links like any other. Otherwise they are the other rows of the same document and status. */
  readonly linksLocalizations?: boolean;
  /** How replies show those attributes of files that differ from the stored values. */
  readonly mediaRewrites?: ReadonlyMap<string, Rewrite>;
  /** What is stored and shown in place of rich text, blocks and JSON. */
  readonly textRewrite?: Rewrite | null;
  /** What queries of the dialect read besides columns, rows and relations. Default: nothing. */
  readonly derived?: StorePolicy;
  /**
   * Gathers JSON as text while rows are added, so that it is copied with rows. Default: it is parsed from the finished
   * rows, which takes less memory.
   */
  readonly gathersJsonTexts?: boolean;
  /** Makes all arrays of the store. Default: on the heap. */
  readonly allocator?: Allocator;
}
