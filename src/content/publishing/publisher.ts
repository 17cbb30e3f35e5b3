import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type WriteCompacted, writeCompactedInThread } from '../../changes/compact/compact-in-thread.ts';
import type { LoggedChange } from '../../changes/log/logged-change.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { messageOf } from '../../core/errors.ts';
import type { LoadedAccess, VersionedSnapshot } from '../../load/loaded.ts';
import {
  type Head,
  type Presence,
  type Publication,
  PublicationError,
  type PublishedChange,
  type PublishedImage,
  type PublishedState,
} from '../../publication/publication.ts';
import { follows, isSameState, stateAfter } from '../../publication/states.ts';
import { type ContentVersion, exceedEpoch, firstVersion, isLater, versionText } from '../../store/content-version.ts';
import { LogSinceImage } from './log-since-image.ts';
import { PublicationApart, PublicationRefused, Unpublished } from './publishing-errors.ts';

/** What a publisher needs besides its content. */
export interface PublisherParts {
  readonly publication: Publication;
  readonly presence: Presence;
  /** Names the publication in messages, without secrets. */
  readonly name: string;
  /** The id of this process among the members. */
  readonly memberId: string;
  /** Where images are written before they are published. */
  readonly folder: string;
  /** As `Head.settings`. */
  readonly settings: string;
  /** As `Head.source`. */
  readonly source: string;
  /** Whether the source changes by itself, so that the content of all its publishers becomes the same. */
  readonly isFollowed: boolean;
  readonly log: Logger;
  /** Default: in a thread. */
  readonly write?: WriteCompacted;
  /** Times in milliseconds. */
  readonly times?: Partial<PublisherTimes>;
}

interface PublisherTimes {
  /** In which an append is made again whose answer was lost. */
  readonly outcome: number;
  /** For another publisher with other content to end. Longer than its presence lasts. */
  readonly others: number;
}

const defaultTimes: PublisherTimes = { outcome: 5000, others: 20_000 };

/** Milliseconds between two tries of something. */
const retryPause = 100;
/** Changes that are appended at a time when many are missing. */
const piece = 100;

/** The content that is published. Its functions are called between two changes. */
export interface PublishedContent {
  /** The latest version. */
  readonly loaded: VersionedSnapshot;
  /** Applies a change of the log, keeps and serves it. Rejects with a SnapshotError if it leads to another state. */
  take(change: PublishedChange): Promise<void>;
  /** Goes on with the same content at a version. Returns false if a journal holds its version. */
  renumber(version: ContentVersion): Promise<boolean>;
  /**
   * Goes on with the content of an image that another publisher of the same source has published. Returns false if that would
   * lose changes. Rejects with a SnapshotError if the image has another state.
   */
  adopt(path: string, state: PublishedState): Promise<boolean>;
  /** Returns the changes after a number, in order, as far as they are kept on disk. */
  keptAfter(sequence: number): Promise<readonly LoggedChange[]>;
}

/**
 * Publishes a content: appends each change to the log before it is served, and writes images. The fence of every append is
 * the state of the content, so two publishers cannot both append after one state.
 */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #times: PublisherTimes;
  readonly #ending = new AbortController();
  /** The head as it was last read or written; null if there is none. */
  #head: Head | null = null;
  readonly #log = new LogSinceImage();
  /** Whether the last append found a head to which the log does not lead any more. Such a head is none for appends. */
  #isLogLost = false;
  #failure: string | null = null;
  #imageRun: Promise<void> | null = null;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#times = { ...defaultTimes, ...parts.times };
  }

  /** Why nothing can be published, or null. */
  get failure(): string | null {
    return this.#failure;
  }

  get head(): Head | null {
    return this.#head;
  }

  /**
   * Makes content and publication equal at a start: appends what the publication lacks, takes what the content lacks, or
   * publishes the content anew. A snapshot without changes goes on with the changes that were published of it. Waits for a
   * publisher of other content to end. Rejects with a PublicationApart if it does not, and with an Unpublished if the
   * publication cannot be reached, or after `close`.
   */
  async begin(content: PublishedContent): Promise<void> {
    const end = performance.now() + this.#times.others;
    for (;;) {
      try {
        return await this.#settle(content, true);
      } catch (error) {
        if (!(error instanceof PublicationApart) || performance.now() > end) throw error;
        this.#parts.log.info(`waits for another publisher to end: ${error.message}`);
        await pause(Math.min(1000, this.#times.others / 4), undefined, { signal: this.#ending.signal }).catch(() => {});
        if (this.#ending.signal.aborted) throw this.#unpublished('the server stops', false);
      }
    }
  }

  /**
   * Appends a change that is not served yet. When it resolves, it is in the log, and replicas may serve it. Rejects with a
   * PublicationRefused if another head is there, and with an Unpublished if the publication does not answer; nothing is in
   * the log then, unless the error has `mayBePublished`.
   */
  async append(change: LoggedChange): Promise<void> {
    if (!this.#head) throw this.#unpublished('nothing is published yet', false);
    const { epoch, sequence, digests } = change;
    const before = { epoch, sequence: sequence - 1, digest: digests.before };
    const head = { ...this.#head, epoch, sequence, digest: digests.after };
    if (await this.#append(before, head, [change])) {
      this.#head = head;
      this.#log.add(change);
      return;
    }
    throw new PublicationRefused(this.#parts.name, versionText(change));
  }

  /** Lets all replicas serve a version in place of the latest; null: the latest again. Errors are those of `append`. */
  async pin(loaded: VersionedSnapshot | null): Promise<void> {
    const before = this.#head?.pinned ?? null;
    if (isSameState(before, loaded && stateOf(loaded))) return;
    await this.#announce({ pinned: loaded && (await this.#putImage(loaded)) });
  }

  /**
   * Makes content and publication equal, if another process has written or the publication has lost something. To be called
   * between two changes. Errors are those of `begin`.
   */
  settle(content: PublishedContent): Promise<void> {
    return this.#settle(content, false);
  }

  async #settle(content: PublishedContent, isStart: boolean): Promise<void> {
    try {
      for (let tries = 0; !(await this.#settleOnce(content, isStart)); tries++) {
        if (tries === 10) throw this.#unpublished('others write to it without end', false);
      }
      this.#failure = null;
    } catch (error) {
      this.#failure = messageOf(error);
      throw asUnpublished(error, this.#parts.name);
    }
  }

  /**
   * Settles between two changes if content and head differ, or if the log has lost the last change. Logs why it cannot, once
   * for each reason.
   */
  async watch(content: PublishedContent, between: (task: () => Promise<void>) => Promise<void>): Promise<void> {
    const before = this.#failure;
    try {
      const head = await this.#parts.publication.readHead();
      if (before !== null || !head || !isSameState(head, stateOf(content.loaded)) || (await this.#hasLost(head))) {
        await between(() => this.settle(content));
      }
    } catch (error) {
      this.#failure = messageOf(error);
    }
    if (this.#failure === before || this.#ending.signal.aborted) return;
    if (this.#failure === null) this.#parts.log.info(`${this.#parts.name} has the content of this server again`);
    else this.#parts.log.error(`the content is not published: ${this.#failure}`);
  }

  /**
   * Publishes an image if the log after the last one has become long. The log then begins there. `loaded` is what is served.
   * To be called after a change; does not wait.
   */
  changed(loaded: VersionedSnapshot, between: (task: () => Promise<void>) => Promise<void>): void {
    if (this.#imageRun || !this.#head || !this.#log.isLong(this.#head.image)) return;
    this.#imageRun = this.#renewImage(loaded, between)
      .catch((error) => {
        if (!this.#ending.signal.aborted) this.#parts.log.warn(`no new image is published: ${messageOf(error)}`);
      })
      .finally(() => (this.#imageRun = null));
  }

  /**
   * Resolves when all replicas serve a version or a later one, or when `limit` milliseconds have passed. Members that do not
   * tell their version do not count.
   */
  async confirmed(version: string, limit: number): Promise<void> {
    const end = performance.now() + limit;
    while (performance.now() < end && !this.#ending.signal.aborted) {
      const members = await this.#parts.presence.members().catch(() => []);
      const behind = members.some(({ role, version: of }) => role === 'replica' && of !== null && isLater(version, of));
      if (!behind) return;
      await pause(retryPause);
    }
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the server stops'));
    await this.#imageRun;
  }

  /** Whether the log has lost the change that leads to a head. */
  async #hasLost(head: Head): Promise<boolean> {
    if (head.sequence === head.image.sequence) return false;
    const before = { ...head, sequence: head.sequence - 1 };
    const read = await this.#parts.publication.readFrom(before, { wait: 0, signal: this.#ending.signal });
    // another head has changes of its own
    this.#isLogLost ||= read.changes.length === 0 && isSameState(read.head, head);
    return this.#isLogLost;
  }

  /** Returns false if another head came meanwhile: then it has to be tried again. */
  async #settleOnce(content: PublishedContent, isStart: boolean): Promise<boolean> {
    const head = await this.#parts.publication.readHead();
    const { loaded } = content;
    const own = stateOf(loaded);
    if (!head || this.#isLogLost) return this.#beginAgain(loaded, head);
    this.#head = head;
    if (isSameState(head, own)) return this.#announceOwn(loaded);
    if (head.epoch === own.epoch && head.sequence < own.sequence) {
      const missing = await this.#missing(content, head);
      if (missing) return this.#appendAll(missing, head);
    } else if (head.epoch === own.epoch && head.sequence > own.sequence) {
      if (await this.#takeAfter(own, content)) return false;
    }
    return this.#settleApart(content, head, isStart);
  }

  /**
   * Publishes what a publication without a log had: the last image with the log after it, or else a new image. A later head is
   * that of another publisher, which has the changes that lead to it.
   */
  async #beginAgain(loaded: VersionedSnapshot, lost: Head | null): Promise<boolean> {
    const own = stateOf(loaded);
    if (lost?.epoch === own.epoch && lost.sequence > own.sequence) {
      this.#isLogLost = false;
      // the other one may have published them again
      if (!(await this.#hasLost(lost))) return false;
      if (await this.#hasOtherPublisher()) {
        const version = versionText(lost);
        throw this.#unpublished(`it has lost its log, and another publisher has the changes up to ${version}`, false);
      }
    }
    const last = this.#head;
    const changes = last?.epoch === own.epoch ? this.#log.between(last.image, own) : null;
    if (!last || !changes) return this.#publishImage(loaded, null);
    const head = { ...last, ...own };
    if (!(await this.#append(null, head, changes))) return false;
    this.#head = head;
    return true;
  }

  /** Announces what this publisher decides besides the state. */
  async #announceOwn(loaded: VersionedSnapshot): Promise<boolean> {
    const { settings, source } = this.#parts;
    const access = accessOf(loaded);
    const { head } = this;
    const isSame = head!.settings === settings && head!.source === source;
    if (isSame && JSON.stringify(head!.access ?? access) === JSON.stringify(access)) return true;
    const next = { ...head!, settings, source, access };
    if (!(await this.#append(head, next, []))) return false;
    this.#head = next;
    return true;
  }

  /** Returns the changes that lead from a head to the content, or null if they are not known. */
  async #missing(content: PublishedContent, head: Head): Promise<readonly LoggedChange[] | null> {
    const own = stateOf(content.loaded);
    const remembered = this.#log.between(head, own);
    if (remembered) return remembered;
    const kept = await content.keptAfter(head.sequence);
    return leads(kept, head, own) ? kept : null;
  }

  async #appendAll(changes: readonly LoggedChange[], from: Head): Promise<boolean> {
    let head = from;
    for (let start = 0; start < changes.length; start += piece) {
      const some = changes.slice(start, start + piece);
      const { epoch, sequence, digests } = some.at(-1)!;
      const next = { ...head, epoch, sequence, digest: digests.after };
      if (!(await this.#append(head, next, some))) return false;
      head = next;
      this.#head = head;
    }
    return true;
  }

  /** Takes the changes of the log after a state. Returns false if they do not lead on from it. */
  async #takeAfter(own: PublishedState, content: PublishedContent): Promise<boolean> {
    const { changes } = await this.#parts.publication.readFrom(own, { wait: 0, signal: this.#ending.signal });
    let state = own;
    for (const change of changes) {
      if (!follows(change, state)) break;
      await content.take(change);
      this.#log.add(change);
      state = stateAfter(change);
    }
    return state !== own;
  }

  /** The content and the head have no log in common. */
  async #settleApart(content: PublishedContent, head: Head, isStart: boolean): Promise<boolean> {
    const { loaded } = content;
    const own = stateOf(loaded);
    if (head.digest === own.digest && (await content.renumber(head))) return false;
    const { name, source, isFollowed } = this.#parts;
    const isSameSource = head.source === source;
    if (isStart && isSameSource && !isFollowed && (await this.#adopt(head.image, content))) return false;
    if (!(isSameSource && isFollowed) && (await this.#hasOtherPublisher())) {
      const whose = isSameSource ? 'of the same source, changed elsewhere' : 'of another source';
      throw new PublicationApart(
        `${name} has the content ${head.digest} ${whose}, whose publisher runs: stop that, or publish under another name`,
      );
    }
    if (isLater(versionText(own), versionText(head))) return this.#publishImage(loaded, head);
    exceedEpoch(head);
    if (await content.renumber(firstVersion())) return this.#publishImage(content.loaded, head);
    throw new PublicationApart(
      `${this.#parts.name} is at version ${versionText(head)} with the content ${head.digest}, and the journal of this server at ${versionText(own)} with ${own.digest}: no log leads from one to the other. Publish under another name, or begin with a new journal`,
    );
  }

  async #adopt(image: PublishedImage, content: PublishedContent): Promise<boolean> {
    const { publication, folder } = this.#parts;
    const path = join(folder, `.${randomUUID()}.lectern`);
    try {
      await publication.getImage(image, path, this.#ending.signal);
      return await content.adopt(path, image);
    } finally {
      await rm(path, { force: true });
    }
  }

  async #hasOtherPublisher(): Promise<boolean> {
    const members = await this.#parts.presence.members();
    return members.some(({ role, id }) => role === 'publisher' && id !== this.#parts.memberId);
  }

  /** Publishes a content by its image alone. Returns false if the head is not the expected one. */
  async #publishImage(loaded: VersionedSnapshot, expected: Head | null): Promise<boolean> {
    const { settings, source } = this.#parts;
    const image = await this.#putImage(loaded);
    const pinned = expected?.pinned ?? null;
    const head = { ...stateOf(loaded), image, settings, source, pinned, access: accessOf(loaded) };
    if (!(await this.#append(expected, head, []))) return false;
    this.#head = head;
    this.#log.begin(image);
    return true;
  }

  async #renewImage(loaded: VersionedSnapshot, between: (task: () => Promise<void>) => Promise<void>): Promise<void> {
    const image = await this.#putImage(loaded);
    await between(async () => {
      if (this.#head?.epoch !== image.epoch) return;
      const before = this.#head.image;
      await this.#announce({ image });
      // the publication keeps the log from the image before
      this.#log.begin(before);
    });
  }

  /** Replaces parts of the head that are no state. */
  async #announce(parts: Partial<Omit<Head, keyof PublishedState>>): Promise<void> {
    if (!this.#head) throw this.#unpublished('nothing is published yet', false);
    const head = { ...this.#head, ...parts };
    if (!(await this.#append(this.#head, head, []))) {
      throw new PublicationRefused(this.#parts.name, versionText(head));
    }
    this.#head = head;
  }

  async #putImage(loaded: VersionedSnapshot): Promise<PublishedImage> {
    const { publication, folder, write = writeCompactedInThread, name } = this.#parts;
    const path = join(folder, `.${randomUUID()}.lectern`);
    try {
      await write(path, loaded, this.#ending.signal);
      return { ...stateOf(loaded), ...(await publication.putImage(path, this.#ending.signal)) };
    } catch (error) {
      throw asUnpublished(error, name);
    } finally {
      await rm(path, { force: true });
    }
  }

  /**
   * Returns false if the head is not the expected one. An append whose answer was lost is made again: if it was done, it is
   * refused by the head that it has made, or by a later one whose log has its changes.
   */
  async #append(expected: PublishedState | null, head: Head, changes: readonly PublishedChange[]): Promise<boolean> {
    if (this.#ending.signal.aborted) throw this.#unpublished('the server stops', false);
    const end = performance.now() + this.#times.outcome;
    let lost: PublicationError | null = null;
    for (;;) {
      try {
        const refused = await this.#parts.publication.appendIf(expected, head, changes);
        this.#isLogLost = refused !== null && refused.head === null;
        if (refused === null) return true;
        return lost !== null && (isDeepStrictEqual(refused.head, head) || (await this.#hasInLog(expected, changes)));
      } catch (error) {
        if (!(error instanceof PublicationError)) throw error;
        if (error.outcome === 'unknown') lost = error;
        if (!lost) throw this.#unpublished(error.message, false, error);
        if (performance.now() > end || this.#ending.signal.aborted) throw this.#unpublished(lost.message, true, lost);
      }
      await pause(retryPause);
    }
  }

  /** Whether the log goes on from a state with these changes. */
  async #hasInLog(from: PublishedState | null, changes: readonly PublishedChange[]): Promise<boolean> {
    if (from === null || changes.length === 0) return false;
    // not ended with the publisher: the request is told what became of it
    const { changes: found } = await this.#parts.publication.readFrom(from, { wait: 0 });
    return changes.every((change, i) => i < found.length && isSameState(stateAfter(found[i]), stateAfter(change)));
  }

  #unpublished(message: string, mayBePublished: boolean, cause?: Error): Unpublished {
    return new Unpublished(this.#parts.name, message, mayBePublished, cause);
  }
}

/** Returns an error of the publication as an Unpublished, and any other as it is. */
function asUnpublished(error: unknown, name: string): unknown {
  return error instanceof PublicationError ? new Unpublished(name, error.message, false, error) : error;
}

function stateOf(loaded: VersionedSnapshot): PublishedState {
  return { ...loaded.version, digest: stateDigest(loaded) };
}

function accessOf({ apiTokens = [], emailConfirmation }: LoadedAccess): Head['access'] {
  return { apiTokens, emailConfirmation };
}

/** Whether changes lead from one state to another. */
function leads(changes: readonly LoggedChange[], from: PublishedState, to: PublishedState): boolean {
  let state = from;
  for (const change of changes) {
    if (!follows(change, state)) return false;
    state = stateAfter(change);
  }
  return isSameState(state, to);
}
