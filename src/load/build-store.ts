/** What both kinds of snapshots do before and after their entries are read. */

import type { Dialect } from '../core/dialect.ts';
import type { Problems } from '../core/problems.ts';
import type { Schema } from '../model/schema/schema.ts';
import type { Store } from '../store/store.ts';
import { mediaRewrites, textRewrite } from '../store/writer/rows/media-urls.ts';
import { StoreBuilder } from '../store/writer/store-builder.ts';
import type { StoreOptions } from '../store/writer/store-options.ts';
import { checkContent } from './check-content.ts';
import type { LoadOptions } from './loaded.ts';

/** Returns a builder for the options of a load. `options` are those of the kind of snapshot. */
export function storeBuilderFor(
  schema: Schema,
  problems: Problems,
  dialect: Dialect,
  loadOptions: LoadOptions,
  options: Pick<StoreOptions, 'duplicateHint' | 'linksLocalizations' | 'gathersJsonTexts'> = {},
): StoreBuilder {
  return new StoreBuilder(schema, problems, { ...options, ...storeOptionsFor(dialect, loadOptions) });
}

/** Returns what the options of a load say about every row. */
export function storeOptionsFor({ derived }: Dialect, { allocator, ...addresses }: LoadOptions): StoreOptions {
  const { mediaUrl } = addresses;
  const rewrites = mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl);
  return { derived, allocator, mediaRewrites: rewrites, textRewrite: textRewrite(addresses) };
}

/** Returns the finished store. Throws a SnapshotError if there is a problem in any entry or between entries. */
export function finishStore(builder: StoreBuilder, defaultLocale: string, problems: Problems): Store {
  problems.throwIfAny();
  const store = builder.finish(defaultLocale);
  checkContent(store, problems);
  problems.throwIfAny();
  return store;
}
