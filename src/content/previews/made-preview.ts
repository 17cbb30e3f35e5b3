import { conflict, SnapshotError } from '../../core/errors.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedExtension } from '../../engine/additions/load.ts';
import type { Catalog } from '../../engine/catalog.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { countOwnBytesInSteps } from '../../store/own-bytes.ts';
import { Content } from '../content.ts';
import type { PreviewSource, PutContent } from '../registry/put-content.ts';
import { changeLoadedByJsonInSteps } from '../versions/change-loaded.ts';
import { shownStoreInSteps, type Version } from '../versions/version.ts';
import type { OpenPreviews } from './open-previews.ts';
import { listsOverInSteps, type PreviewChanges } from './preview-changes.ts';

/** A content that is put as a preview. */
export type PutPreview = PutContent & { readonly preview: PreviewSource };

export function isPreview(put: PutContent | null): put is PutPreview {
  return put?.preview !== undefined;
}

/** The content that a preview is based on, found by its name. */
export interface PreviewBase {
  readonly id: number;
  /** Null if the content could not be loaded, or is a preview itself. */
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
  /** What the base served when the preview was made. */
  readonly over: Version;
  readonly changes: PreviewChanges;
  readonly content: Content;
  readonly facts: PreviewFacts;
}

/** The facts about a preview in the list of contents. */
export interface PreviewFacts {
  readonly version: string | null;
  readonly entries: number | null;
  /** Bytes of an open preview, without the buffers that it shares with the base. */
  readonly bytes: number | null;
  /** Why the preview has no content, or null. */
  readonly error: string | null;
}

/** The catalog of previews that show drafts, by the catalog of their base. They share prepared queries. */
const draftCatalogs = new WeakMap<Catalog, Catalog>();

/** Makes the content of a preview. */
export class PreviewMaker {
  readonly #put: PutPreview;
  readonly #settings: Config;
  readonly #parts: PreviewParts;

  /** `settings` are those of the preview. */
  constructor(put: PutPreview, settings: Config, parts: PreviewParts) {
    this.#put = put;
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Makes the content over a state of the base. Throws a SnapshotError or a ConfigError if the changes do not fit. */
  *makeInSteps(changes: PreviewChanges, over: Version): Steps<MadePreview> {
    const lists = yield* listsOverInSteps(changes, over.engine.version);
    const loaded = yield* this.applyInSteps(lists, over.loaded);
    yield;
    return yield* this.finishInSteps(loaded, changes, over);
  }

  /** Returns a snapshot with lists of changes. Throws a SnapshotError if they do not fit. */
  *applyInSteps(lists: readonly unknown[], before: LoadedSnapshot): Steps<LoadedSnapshot> {
    let loaded = before;
    for (const [i, list] of lists.entries()) {
      yield;
      try {
        // changes that an earlier version of Lectern has kept have no time of their own
        ({ loaded } = yield* changeLoadedByJsonInSteps(loaded, list, this.#settings, this.#put.putAt));
      } catch (error) {
        throw lists.length > 1 ? inList(error, i) : error;
      }
    }
    return loaded;
  }

  /** Returns the version of the content. It is greater after every change of the base, and of the preview. */
  versionOver({ engine: { version } }: Version, revision: number): ContentVersion {
    return { epoch: Math.max(version.epoch, this.#put.preview.epoch), sequence: version.sequence + revision };
  }

  /** As `makeInSteps`. `loaded` is the snapshot that the changes lead to. */
  *finishInSteps(loaded: LoadedSnapshot, changes: PreviewChanges, over: Version): Steps<MadePreview> {
    const settings = this.#settings;
    const { catalog, store } = over.engine;
    const showsSame = settings.drafts === this.#parts.settings.drafts;
    const version = this.versionOver(over, changes.revision);
    const earlier = showsSame ? { store: over.loaded.store, shown: store } : null;
    const shown = yield* shownStoreInSteps(loaded.store, settings, earlier);
    const content = new Content({ ...loaded, version, warnings: [] }, settings, performance.now(), {
      extension: this.#parts.extension,
      catalog: showsSame ? catalog : draftCatalogs.get(catalog),
      shown,
      compactions: { limits: null },
      versionCount: 1,
    });
    if (!showsSame) draftCatalogs.set(catalog, content.history.active.engine.catalog);
    yield;
    const facts = yield* readFactsInSteps(content, over, changes);
    return { over, changes, content, facts };
  }
}

/** Returns an error of a list of changes whose problems name the list. */
export function inList(error: unknown, list: number): unknown {
  if (!(error instanceof SnapshotError)) return error;
  return new SnapshotError(
    error.problems.map((problem) => `lists[${list}], ${problem}`),
    error.count,
    'batch',
  );
}

/** Returns the facts about a preview's content, made over a state of its base. */
function* readFactsInSteps(
  { summary, history }: Content,
  { loaded }: Version,
  changes: PreviewChanges,
): Steps<PreviewFacts> {
  const { version, types } = summary;
  const entries = types.reduce((total, type) => total + type.entries, 0);
  const bytes = changes.bytes.length + (yield* countOwnBytesInSteps(history.active.engine.store, loaded.store));
  return { version, entries, bytes, error: null };
}

/**
 * Returns a 409 if `error` says that the changes of a preview do not fit its base. Returns any other error unchanged.
 */
export function asConflict({ name, preview }: PutPreview, error: unknown): Error {
  const text = `The changes of the preview "${name}" do not fit "${preview.base}" as it is now`;
  if (error instanceof SnapshotError) {
    const { problems, count } = error;
    return conflict(`${text}: ${problems[0]}`, { problems, count });
  }
  return error instanceof ConfigError ? conflict(`${text}: ${error.message}`) : (error as Error);
}
