import { conflict, SnapshotError } from '../../core/errors.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedExtension } from '../../engine/additions/load.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import { countOwnBytesInSteps } from '../../store/own-bytes.ts';
import type { Content } from '../content.ts';
import type { PreviewSource, PutContent } from '../registry/put-content.ts';
import type { ActiveSnapshot } from '../versions/active-snapshot.ts';
import type { OpenPreviews } from './open-previews.ts';
import type { PreviewChanges } from './preview-changes.ts';

/** A content that is put as a preview. */
export type PutPreview = PutContent & { readonly preview: PreviewSource };

export function isPreview(put: PutContent | null): put is PutPreview {
  return put?.preview !== undefined;
}

/** The content of the name that a preview is based on. */
export interface PreviewBase {
  readonly id: number;
  /** Null if it could not be loaded, and for another preview. */
  readonly content: Content | null;
}

export interface PreviewParts {
  /** The settings of the process. */
  readonly settings: Config;
  readonly extension: LoadedExtension | null;
  readonly open: OpenPreviews;
  /** Returns undefined if there is no content of this name. */
  baseOf(name: string): PreviewBase | undefined;
}

/** What a preview shows over one state of its base. */
export interface MadePreview {
  /** What the base serves in this state. */
  readonly over: ActiveSnapshot;
  readonly changes: PreviewChanges;
  readonly content: Content;
  readonly facts: PreviewFacts;
}

/** The facts about a preview in the list of contents. */
export interface PreviewFacts {
  readonly version: string | null;
  readonly entries: number | null;
  /** Memory that it takes while it is in use, without what it shares with the base. */
  readonly bytes: number | null;
  /** Why it cannot be read, or null. */
  readonly error: string | null;
}

/** Returns the facts about a preview's content, made over a state of its base. */
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

/** Returns a 409 if `error` says that the changes of a preview do not fit its base. Returns any other error unchanged. */
export function asConflict({ name, preview }: PutPreview, error: unknown): Error {
  const text = `The changes of the preview "${name}" do not fit "${preview.base}" as it is now`;
  if (error instanceof SnapshotError) {
    const { problems, count } = error;
    return conflict(`${text}: ${problems[0]}`, { problems, count });
  }
  return error instanceof ConfigError ? conflict(`${text}: ${error.message}`) : (error as Error);
}
