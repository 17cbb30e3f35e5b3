import type { Explanation } from '../../engine/trace.ts';
import type { ServedContent } from '../../http/app.ts';

/** The interface of content that the server uses. */
export interface ServerContent extends ServedContent {
  explain(url: string): Explanation;
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null;
}
