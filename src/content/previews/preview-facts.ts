import type { Steps } from '../../core/steps.ts';
import { countOwnBytesInSteps } from '../../store/own-bytes.ts';
import type { Content } from '../content.ts';
import type { ActiveSnapshot } from '../versions/active-snapshot.ts';
import type { PreviewChanges } from './preview-changes.ts';

/** What the list of contents shows of a preview. */
export interface PreviewFacts {
  readonly version: string | null;
  readonly entries: number | null;
  /** Memory that it takes while it is in use, without what it shares with the base. */
  readonly bytes: number | null;
  /** Why it cannot be read, or null. */
  readonly error: string | null;
}

/** Returns the facts of a content that was made of changes over a state of its base. */
export function* readFactsInSteps(
  { summary, served }: Content,
  { loaded }: ActiveSnapshot,
  changes: PreviewChanges,
): Steps<PreviewFacts> {
  const { version, types } = summary;
  const entries = types.reduce((total, type) => total + type.entries, 0);
  const bytes = changes.bytes.length + (yield* countOwnBytesInSteps(served.active.engine.store, loaded.store));
  return { version, entries, bytes, error: null };
}
