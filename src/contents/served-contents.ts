import type { Contents } from './contents.ts';
import type { MemoryShares } from './memory-shares.ts';
import type { StoredContents } from './stored-contents.ts';

/** The contents that a server serves and lets its admin port change. */
export interface ServedContents {
  readonly contents: Contents;
  /** Null if there is only one content and none can be added: it then answers every request and has all the memory. */
  readonly shares: MemoryShares | null;
  readonly stored: StoredContents;
}
