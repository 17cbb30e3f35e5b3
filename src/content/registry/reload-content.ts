import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { ContentEntry } from './contents.ts';
import type { ServedContents } from './served-contents.ts';

export interface ReloadContentOptions {
  /** When loading began, as `performance.now()` counts. */
  readonly started: number;
  /** Begins the journal of the content anew. */
  readonly discardsChanges?: boolean;
}

/**
 * Serves a snapshot that was loaded again in place of the content of an entry, and returns whether it is new, when every
 * thread answers from it. If it is not new, the store stays, and only the uploaded files may change. Rejects with a
 * ConfigError if settings or the journal contradict it.
 */
export function reloadContent(
  { contents, live }: ServedContents,
  entry: ContentEntry,
  loaded: LoadedSnapshot,
  { started, discardsChanges = false }: ReloadContentOptions,
): Promise<boolean> {
  const spread = () => contents.update(entry);
  return live!.of(entry)!.reload(loaded, { started, discardsChanges, spread });
}
