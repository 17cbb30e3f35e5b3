import type { LoadedExtension } from '../../engine/additions/load.ts';
import type { Config } from '../../model/settings/config.ts';
import type { Content } from '../content.ts';
import type { PreviewSource, PutContent } from '../registry/put-content.ts';
import type { ActiveSnapshot } from '../versions/active-snapshot.ts';
import type { OpenPreviews } from './open-previews.ts';
import type { PreviewChanges } from './preview-changes.ts';
import type { PreviewFacts } from './preview-facts.ts';

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
