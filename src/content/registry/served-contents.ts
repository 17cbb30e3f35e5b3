import type { Contents } from './contents.ts';
import type { LiveContents } from './live-contents.ts';
import type { StoredContents } from './stored-contents.ts';

/** The contents that a server serves and lets its admin port change. */
export interface ServedContents {
  readonly contents: Contents;
  /** Whether requests choose a content. If not, there is only one: it answers every request and has all the memory. */
  readonly areChosen: boolean;
  /** Null in a thread whose contents another thread changes. It has no admin port. */
  readonly stored: StoredContents | null;
  /** Null in such a thread. */
  readonly live: LiveContents | null;
}
