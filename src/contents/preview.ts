import { RequestError, SnapshotError } from '../base/errors.ts';
import { runAtOnce } from '../base/steps.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { changeLoadedByJson } from '../content/change-loaded.ts';
import { Content } from '../content.ts';
import type { Catalog } from '../engine/catalog.ts';
import type { LoadedExtension } from '../extend/load.ts';
import { ownBytes } from '../store/own-bytes.ts';
import type { OpenPreviews } from './open-previews.ts';
import { listsOf, type PreviewChanges } from './preview-changes.ts';
import { type PreviewSource, type PutContent, settingsOf } from './put-content.ts';

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

/** By the catalog of a base: that of its previews which show drafts. They share prepared queries. */
const draftCatalogs = new WeakMap<Catalog, Catalog>();

/** Bytes of an open preview besides its buffers: objects over them, and what is derived from them. Measured: 240 KiB. */
const overheadBytes = 2 ** 18;

/** What the list of contents shows of a preview. */
export interface PreviewFacts {
  readonly version: string | null;
  readonly entries: number | null;
  /** Memory that it takes while it is in use, without what it shares with the base. */
  readonly bytes: number | null;
  /** Why it cannot be read, or null. */
  readonly error: string | null;
}

/** The content of a preview, or why there is none, over what its base serves now. */
interface Opened {
  readonly base: Content;
  readonly content: Content | RequestError;
  /** Ends the calls of the base. */
  end(): void;
}

/**
 * A content that is what another one serves now, with changes of its own. It shares the store of the base. It is made
 * when it is first asked for, and again after the base has changed. Until then it holds only its changes.
 */
export class Preview {
  readonly put: PutPreview;
  readonly settings: Config;
  readonly #parts: PreviewParts;
  #changes: PreviewChanges;
  #opened: Opened | null = null;
  /** The last facts, and of which state of the base and of the changes they are. */
  #facts: (PreviewFacts & { readonly state: string }) | null = null;

  constructor(put: PutPreview, changes: PreviewChanges, parts: PreviewParts) {
    this.put = put;
    this.settings = settingsOf(put, parts.settings);
    this.#parts = parts;
    this.#changes = changes;
  }

  /** The settings of the process. */
  get given(): Config {
    return this.#parts.settings;
  }

  get changes(): PreviewChanges {
    return this.#changes;
  }

  /** Has these changes from now on. */
  take(changes: PreviewChanges): void {
    this.#changes = changes;
    this.release();
  }

  /** The content over what the base serves now. Throws a RequestError with status 409 if the changes do not fit it. */
  get content(): Content {
    const base = this.base;
    if (this.#opened?.base !== base) {
      this.release();
      this.#opened = this.#open(base);
    }
    const { content } = this.#opened;
    if (!(content instanceof Content)) throw content;
    this.#parts.open.use(this, overheadBytes + this.#facts!.bytes!);
    return content;
  }

  /** As `content`, but it is not kept. */
  get made(): Content {
    try {
      return this.make();
    } catch (error) {
      throw this.#asConflict(error);
    }
  }

  /** Why it has no base, or null. */
  get baseProblem(): string | null {
    const { name, preview } = this.put;
    if (this.#parts.baseOf(preview.base)?.content) return null;
    return `The preview "${name}" has no base: there is no content "${preview.base}", or it could not be loaded`;
  }

  /** The content that it is based on. Throws a RequestError with status 409 if there is none. */
  get base(): Content {
    const content = this.#parts.baseOf(this.put.preview.base)?.content;
    if (content) return content;
    // it may be asked for again and again, and would keep the store of a base that is gone
    this.release();
    throw conflict(this.baseProblem!);
  }

  /**
   * Makes the content with the given changes, or with its own, and does not keep it. Throws a SnapshotError or a
   * ConfigError if they do not fit what the base serves now, and a RequestError without a base.
   */
  make(changes = this.#changes): Content {
    const { put, settings, base } = this;
    const { loaded, engine } = base.served.active;
    const { catalog } = engine;
    const showsSame = settings.drafts === this.given.drafts;
    const started = performance.now();
    let changed = loaded;
    for (const list of listsOf(changes)) changed = runAtOnce(changeLoadedByJson(changed, list, settings));
    const { epoch, sequence } = engine.version;
    // greater after every change of the base, and of the preview
    const version = { epoch: Math.max(epoch, put.preview.epoch), sequence: sequence + changes.revision };
    const content = new Content({ ...changed, version, warnings: [] }, settings, started, {
      extension: this.#parts.extension,
      catalog: showsSame ? catalog : draftCatalogs.get(catalog),
      compactions: { limits: null },
      versionCount: 1,
    });
    if (!showsSame) draftCatalogs.set(catalog, content.served.active.engine.catalog);
    if (changes === this.#changes) this.#facts = { state: this.#state(), ...factsOf(content, base, changes) };
    return content;
  }

  /** Drops the content until it is asked for again. */
  release(): void {
    this.#opened?.end();
    this.#opened = null;
    this.#parts.open.remove(this);
  }

  /** Makes the content if the base or the changes are others than before, and does not keep it. */
  get facts(): PreviewFacts {
    const state = this.#state();
    if (this.#facts?.state !== state) {
      try {
        this.make();
      } catch (error) {
        this.#facts = { state, version: null, entries: null, bytes: null, error: this.#asConflict(error).message };
      }
    }
    const { state: _, ...facts } = this.#facts!;
    return facts;
  }

  #open(base: Content): Opened {
    const { changes } = base.served;
    const release = () => this.release();
    const ends = [changes.listen(release), changes.listenToRebases(release)];
    const end = () => ends.forEach((endOne) => void endOne());
    try {
      return { base, content: this.make(), end };
    } catch (error) {
      return { base, content: this.#asConflict(error), end };
    }
  }

  #state(): string {
    const base = this.#parts.baseOf(this.put.preview.base);
    return JSON.stringify([base?.id, base?.content?.version, this.#changes.revision]);
  }

  /** Throws what is not the fault of the changes. */
  #asConflict(error: unknown): RequestError {
    if (error instanceof RequestError) return error;
    const { name, preview } = this.put;
    const text = `The changes of the preview "${name}" do not fit "${preview.base}" as it is now`;
    if (error instanceof SnapshotError) {
      const { problems, count } = error;
      return conflict(`${text}: ${problems[0]}`, { problems, count });
    }
    if (error instanceof ConfigError) return conflict(`${text}: ${error.message}`);
    throw error;
  }
}

function factsOf({ summary, served }: Content, base: Content, changes: PreviewChanges): PreviewFacts {
  const { version, types } = summary;
  const entries = types.reduce((total, type) => total + type.entries, 0);
  const bytes = changes.bytes.length + ownBytes(served.active.engine.store, base.served.active.loaded.store);
  return { version, entries, bytes, error: null };
}

function conflict(message: string, details?: object): RequestError {
  return new RequestError(409, 'ConflictError', message, details);
}
