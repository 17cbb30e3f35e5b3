import type { z } from 'zod';
import type { Batch } from '../../changes/batch/batch.ts';
import { backOff } from '../../core/back-off.ts';
import { messageOf, SilentSourceError, SnapshotError, SourceAwayError, UnpublishedError } from '../../core/errors.ts';
import { CacheError } from '../../http/files/cache-folder.ts';
import { apiTokens } from '../../load/image/check/documents.ts';
import type { LoadedAccess, LoadedSnapshot, LoadOptions, PinnedImage } from '../../load/loaded.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';
import { digestOfReplySettings } from '../../model/settings/reply-settings.ts';
import {
  type Head,
  type Publication,
  PublicationError,
  type PublishedChange,
  type PublishedImage,
  type PublishedState,
} from '../../publication/publication.ts';
import { isSameState, stateAfter } from '../../publication/states.ts';
import { versionText } from '../../store/content-version.ts';
import { InterruptiblePause, jittered } from '../pauses.ts';
import type { OnUnchanged, OnWarning, PublicationSource, SourceChange, SourceReader } from '../source-reader.ts';
import { nameOfPublication } from './publication-name.ts';
import { loadPublishedImage, UsersError } from './published-image.ts';
import { gapBefore, replayLog } from './replay-log.ts';
import { ReplicaImages } from './replica-images.ts';
import { missingOnReplica } from './replica-needs.ts';

/** Times in milliseconds. */
interface ReaderTimes {
  /** For a change, before the head is looked at again. */
  readonly wait: number;
  /** For a publisher to append again what the Redis has lost. */
  readonly lost: number;
  /** Between two reloads, from the second on, and before a download that has failed. */
  readonly reloads: { readonly first: number; readonly last: number };
  /** Of a download at most, in which replicas of one image spread. */
  readonly jitter: number;
}

const defaultTimes: ReaderTimes = {
  wait: 10_000,
  lost: 3000,
  reloads: { first: 1000, last: 60_000 },
  jitter: 2000,
};

/** A jitter is at most the time that a download takes at this rate. */
const bytesPerMillisecond = 50_000;
/** Changes that are returned together, and entries and lists of links in them, so that none of it takes long. */
const [mostChanges, mostRows] = [100, 500];
/** Reloads that are further apart count as the first. In milliseconds. */
const reloadsApart = 60_000;

export interface ReaderParts {
  readonly publication: Publication;
  readonly onUnchanged: OnUnchanged;
  readonly onWarning: OnWarning;
  /** The secrets of the Strapi, which no image holds. */
  readonly secrets: SignInSecrets | null;
  readonly times?: Partial<ReaderTimes>;
}

/** What was returned last, and what follows it. */
interface Followed {
  state: PublishedState;
  head: Head;
  /** The image that was loaded. */
  readonly image: PublishedImage;
  /** Changes that were read and not returned yet. */
  changes: readonly PublishedChange[];
  /** What that image says of callers. */
  readonly imageAccess: LoadedAccess;
  /** As JSON. */
  access: string;
  /** The SHA-256 of its image. */
  pinned: string | null;
  /** Since when the head is earlier than the state, in milliseconds of `performance.now()`; null if it is not. */
  behindSince: number | null;
}

/**
 * Reads a publication: an image with the log up to the head, then each further change of the log. Whatever does not lead on
 * from the last state causes a load.
 */
export class PublicationReader implements SourceReader {
  readonly #source: PublicationSource;
  readonly #parts: ReaderParts;
  readonly #times: ReaderTimes;
  readonly #images: ReplicaImages;
  readonly #closing = new AbortController();
  readonly #pause = new InterruptiblePause();
  #followed: Followed | null = null;
  /** The digest of the settings of this replica. */
  #settings = '';
  /** That of the settings of the publisher that were warned of. */
  #warnedOf: string | null = null;
  /** The image whose download has failed last, and how often in a row. */
  #failed: { readonly sha256: string; readonly count: number } | null = null;
  /** The last image that has users, where they are left out. It is not downloaded again. */
  #withUsers: string | null = null;
  #reloads = 0;
  #reloadedAt = Number.NEGATIVE_INFINITY;

  constructor(source: PublicationSource, parts: ReaderParts) {
    this.#source = source;
    this.#parts = parts;
    this.#times = { ...defaultTimes, ...parts.times };
    this.#images = new ReplicaImages(source);
  }

  /**
   * Returns the content of the head: that of its image with the log. Rejects with an UnpublishedError if there is no head, with
   * a SilentSourceError if the log cannot be read, and with a SourceAwayError for all else that a publisher may mend.
   */
  async load(options: LoadOptions): Promise<LoadedSnapshot> {
    this.#followed = null;
    try {
      return await this.#load(options);
    } catch (error) {
      const isSilent = error instanceof PublicationError;
      const Problem = isSilent ? SilentSourceError : SourceAwayError;
      throw this.#asProblem(error, (problems, count) => new Problem(problems, count));
    }
  }

  async next(): Promise<SourceChange> {
    if (!this.#followed) throw new SnapshotError([`${this.#name}: nothing was loaded`]);
    try {
      for (;;) {
        const change = await this.#look(this.#followed);
        if (change) return change;
      }
    } catch (error) {
      throw this.#asProblem(error, (problems, count) => new SnapshotError(problems, count));
    }
  }

  hint(): void {
    this.#pause.end();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pause.end();
  }

  get #name(): string {
    return nameOfPublication(this.#source);
  }

  async #load(options: LoadOptions): Promise<LoadedSnapshot> {
    const { publication, secrets } = this.#parts;
    const first = requireHead(await publication.readHead(), this.#name);
    const image = await this.#loadImage(first.image, options);
    const { loaded, head, state } = await this.#replay(image, first, options);
    this.#settings = digestOfReplySettings(this.#source.settings, loaded);
    this.#compareSettings(head);
    const access = accessOf(head, image);
    const pinned = await this.#pinnedOf(head);
    await this.#remember(head, first.image);
    const missing = missingOnReplica({ ...loaded, ...access }, image, this.#source.has, secrets);
    const warnings = [...loaded.warnings, ...missing];
    this.#followed = {
      state,
      head,
      image: first.image,
      changes: [],
      imageAccess: { apiTokens: image.apiTokens, emailConfirmation: image.emailConfirmation },
      access: JSON.stringify(access),
      pinned: head.pinned?.sha256 ?? null,
      behindSince: null,
    };
    // files stay at the publisher
    return { ...loaded, ...access, secrets, warnings, pinned, uploadedFiles: null, replacesFiles: true };
  }

  async #loadImage(image: PublishedImage, options: LoadOptions): Promise<LoadedSnapshot> {
    if (image.sha256 === this.#withUsers) throw new UsersError();
    try {
      return await loadPublishedImage(await this.#take(image), image, options);
    } catch (error) {
      if (error instanceof UsersError) this.#withUsers = image.sha256;
      throw error;
    }
  }

  /**
   * Returns an image with the log after it up to the head that was read first, or further, and the last head. What comes after
   * is read by `next`: a publisher may be faster than a start, which would never end.
   */
  async #replay(
    image: LoadedSnapshot,
    first: Head,
    options: LoadOptions,
  ): Promise<{ loaded: LoadedSnapshot; head: Head; state: PublishedState }> {
    let loaded = image;
    let state = stateOf(first.image);
    for (;;) {
      const read = await this.#parts.publication.readFrom(state, { wait: 0, signal: this.#closing.signal });
      const head = requireHead(read.head, this.#name);
      const { changes } = read;
      if (changes.length === 0) {
        if (isSameState(head, state)) return { loaded, head, state };
        throw new SnapshotError([
          `the log does not lead from the image ${versionText(first.image)} to the head ${versionText(head)}: it ends with ${versionText(state)}`,
        ]);
      }
      for (const change of changes) {
        const gap = gapBefore(change, state);
        if (gap !== null) throw new SnapshotError([gap]);
        state = stateAfter(change);
      }
      loaded = await replayLog(loaded, changes, this.#source, options.allocator);
      if (state.sequence >= first.sequence) return { loaded, head, state };
    }
  }

  /** Returns what comes next, or null if nothing is known yet. */
  async #look(followed: Followed): Promise<SourceChange | null> {
    const told = (await this.#otherAccess(followed)) ?? (await this.#otherPin(followed));
    if (told) return told;
    if (followed.changes.length > 0) return this.#changesAfter(followed);
    const { signal } = this.#closing;
    const read = await this.#parts.publication.readFrom(followed.state, { wait: this.#waitOf(followed), signal });
    const readAt = Date.now();
    followed.head = requireHead(read.head, this.#name);
    followed.changes = read.changes;
    this.#compareSettings(followed.head);
    return read.changes.length > 0 ? null : this.#compareHead(followed, readAt);
  }

  #waitOf({ behindSince }: Followed): number {
    const { wait, lost } = this.#times;
    return behindSince === null ? wait : Math.min(wait, Math.max(1, behindSince + lost - performance.now()));
  }

  /** Returns some of the changes that were read. Whoever applies them validates them. */
  async #changesAfter(followed: Followed): Promise<SourceChange> {
    const changes: PublishedChange[] = [];
    let rows = 0;
    for (const change of followed.changes) {
      rows += rowsOf(change);
      if (changes.length > 0 && (rows > mostRows || changes.length === mostChanges)) break;
      const gap = gapBefore(change, followed.state);
      if (gap !== null && changes.length > 0) break;
      if (gap !== null) return this.#reload(gap);
      followed.state = stateAfter(change);
      changes.push(change);
    }
    followed.changes = followed.changes.slice(changes.length);
    followed.behindSince = null;
    return { kind: 'changes', changes, readAt: Date.now() };
  }

  /** Compares the state with the head, after which there are no changes. */
  async #compareHead(followed: Followed, readAt: number): Promise<SourceChange | null> {
    const { state, head } = followed;
    const [here, there] = [versionText(state), versionText(head)];
    const isBehind = head.epoch === state.epoch && head.sequence < state.sequence;
    if (!isBehind) followed.behindSince = null;
    if (isSameState(head, state)) {
      this.#parts.onUnchanged(readAt);
      return null;
    }
    if (head.epoch !== state.epoch) return this.#reload(`the publisher has begun anew, with ${there}`);
    if (head.sequence === state.sequence) return this.#reload(`the publisher has other content as version ${here}`);
    if (!isBehind) return this.#reload(`the log has no changes between ${here} and ${there}`);
    followed.behindSince ??= performance.now();
    if (performance.now() - followed.behindSince < this.#times.lost) return null;
    return this.#reload(`the publication has lost the changes after ${there}`);
  }

  /** Returns a request to load everything. Waits before, if there was one shortly before. */
  async #reload(reason: string): Promise<SourceChange> {
    const { first, last } = this.#times.reloads;
    this.#reloads = performance.now() - this.#reloadedAt < reloadsApart + last ? this.#reloads + 1 : 0;
    if (this.#reloads > 0) await this.#pause.wait(jittered(backOff(this.#reloads, { first, last })));
    this.#reloadedAt = performance.now();
    return { kind: 'reload', reason, readAt: Date.now() };
  }

  async #otherAccess(followed: Followed): Promise<SourceChange | null> {
    const access = accessOf(followed.head, followed.imageAccess);
    const text = JSON.stringify(access);
    if (text === followed.access) return null;
    // a deleted token does not come back with the next start
    await this.#remember(followed.head, followed.image);
    followed.access = text;
    const { secrets } = this.#parts;
    const reason = 'the publisher has other API tokens, or another rule of e-mail addresses';
    return { kind: 'access', access: { ...access, secrets }, reason, readAt: Date.now() };
  }

  async #otherPin(followed: Followed): Promise<SourceChange | null> {
    const { head } = followed;
    const sha256 = head.pinned?.sha256 ?? null;
    if (sha256 === followed.pinned) return null;
    const pinned = await this.#pinnedOf(head);
    await this.#remember(head, followed.image);
    followed.pinned = sha256;
    const what = pinned ? `serving is pinned to ${versionText(pinned.version)}` : 'the latest version is served';
    return { kind: 'pin', pinned, reason: `${what}, as at the publisher`, readAt: Date.now() };
  }

  async #pinnedOf({ pinned }: Head): Promise<PinnedImage | null> {
    if (!pinned) return null;
    const { epoch, sequence, digest } = pinned;
    return { version: { epoch, sequence }, digest, path: await this.#take(pinned) };
  }

  /** Returns the path of an image. A download that has failed is not tried again at once. */
  async #take(image: PublishedImage): Promise<string> {
    const { sha256, bytes } = image;
    const { jitter, reloads } = this.#times;
    const failures = this.#failed?.sha256 === sha256 ? this.#failed.count : 0;
    const pause = failures > 0 ? backOff(failures, reloads) : Math.min(jitter, bytes / bytesPerMillisecond);
    const wait = () => this.#pause.wait(failures > 0 ? jittered(pause) : Math.random() * pause);
    try {
      const path = await this.#images.take(image, this.#parts.publication, this.#closing.signal, wait);
      this.#failed = null;
      return path;
    } catch (error) {
      if (this.#closing.signal.aborted) throw error;
      this.#failed = { sha256, count: failures + 1 };
      throw new SourceAwayError([messageOf(error)]);
    }
  }

  /** Keeps what a start needs without the publication, and removes what nothing needs. */
  async #remember(head: Head, image: PublishedImage): Promise<void> {
    const { pinned, access } = head;
    const tokens = access ? { ...access, apiTokens: readTokens(access.apiTokens) } : null;
    await this.#images.remember({ image, pinned, access: tokens, readAt: Date.now() });
    await this.#images.removeOthers([image, ...(pinned ? [pinned] : [])]);
  }

  /** Warns once of settings of the publisher that are others than here. */
  #compareSettings({ settings }: Head): void {
    if (settings === this.#settings || settings === this.#warnedOf) return;
    this.#warnedOf = settings;
    this.#parts.onWarning(`${this.#name}: ${otherSettings}`);
  }

  /** Returns an error of the publication, of the content or of the disk as one that names the publication. */
  #asProblem(error: unknown, create: (problems: string[], count: number) => SnapshotError): unknown {
    if (error instanceof UnpublishedError) return error;
    if (error instanceof SnapshotError) {
      const named = error.problems.map((problem) => `${this.#name}: ${problem}`);
      return create(named, error.count);
    }
    const isExpected = error instanceof PublicationError || error instanceof CacheError;
    const isSystem = error instanceof Error && 'syscall' in error;
    if (isExpected || isSystem) return create([`${this.#name}: ${messageOf(error)}`], 1);
    return this.#closing.signal.aborted ? new SnapshotError([`${this.#name}: reading it has ended`]) : error;
  }
}

const otherSettings =
  'the publisher has other settings that decide about replies, so the same request may get other replies there. See "Settings that decide about replies" in docs/replicas.md';

function requireHead(head: Head | null, name: string): Head {
  if (head) return head;
  throw new UnpublishedError([`${name}: nothing is published there under this name`]);
}

/** Returns how many entries and lists of links a change has, which was not validated. */
function rowsOf({ changes }: PublishedChange): number {
  const { entities, links } = changes as Partial<Batch>;
  return (entities?.length ?? 0) + (links?.length ?? 0);
}

function stateOf({ epoch, sequence, digest }: PublishedState): PublishedState {
  return { epoch, sequence, digest };
}

/** Returns what identifies callers: what the head says, or else what the image says. */
function accessOf({ access }: Head, image: LoadedAccess): LoadedAccess {
  const { apiTokens, emailConfirmation } = access ? { ...access, apiTokens: readTokens(access.apiTokens) } : image;
  return { apiTokens, emailConfirmation };
}

/** Throws a SnapshotError, which shows no digest of a token. */
function readTokens(given: readonly unknown[]): z.infer<typeof apiTokens> {
  const { success, data, error } = apiTokens.safeParse(given);
  if (success) return data;
  throw new SnapshotError([`the API tokens of its head: ${error.issues[0].path.join('.')} is wrong`]);
}
