/**
 * What a publisher and its replicas share: the head, the log of changes that leads to it, and images. One publisher writes,
 * any number of replicas read. Nothing here trusts what it reads: a replica makes every check that foreign content gets.
 */

/** Identifies a state of content. The same version of two publishers may have other content, so the digest belongs to it. */
export interface PublishedState {
  readonly epoch: number;
  readonly sequence: number;
  /** Of the content, as in the journal. */
  readonly digest: string;
}

/** A change as the log has it: plain JSON. It leads from the state before to that of its version. */
export interface PublishedChange {
  readonly epoch: number;
  /** One more than that of the change before. */
  readonly sequence: number;
  /** Digests of the content before and after. */
  readonly digests: { readonly before: string; readonly after: string };
  /** A batch of `changes/batch/batch.ts`. Readers validate it. */
  readonly changes: unknown;
}

/** An image of a state, which its SHA-256 names. Where images are is a setting of each machine. */
export interface PublishedImage extends PublishedState {
  /** Of the whole file, in hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** What was published last. */
export interface Head extends PublishedState {
  /** The image from which the log leads to the head. */
  readonly image: PublishedImage;
  /** A digest of the publisher's settings that decide about the bytes of replies. */
  readonly settings: string;
  /** The state that all replicas serve in place of the latest, with its image; null without one. */
  readonly pinned: PublishedImage | null;
  /** What identifies the source of the publisher, without secrets: another publisher of it has the same. */
  readonly source: string;
  /** Other API tokens than those of the image. Absent: those of the image. */
  readonly access?: PublishedAccess;
}

/** What a source changes without changing its content. No secrets: tokens are digests that need a salt. */
export interface PublishedAccess {
  readonly apiTokens: readonly unknown[];
  readonly emailConfirmation: boolean;
}

/**
 * What a read of the log returns. Large logs come in pieces, so a head beyond the changes is no gap while there are any.
 * Changes may also lead beyond the head, since both are read one after the other. Without changes, a head of another
 * state than the one asked for is a gap: the log does not lead on from that state.
 */
export interface ReadLog {
  /** Null if nothing is published. */
  readonly head: Head | null;
  /** In order, without gaps among them. The first need not follow the state: then changes in between are gone. */
  readonly changes: readonly PublishedChange[];
}

export interface WaitOptions {
  /** Milliseconds to wait for a change, if there is none. */
  readonly wait: number;
  readonly signal?: AbortSignal;
}

/** Head and log of a publication. Everything that it returns is validated, except the batches of changes. */
export interface PublicationLog {
  readHead(): Promise<Head | null>;
  /**
   * Appends changes and replaces the head, both or neither, if the present head has the state `expected`; null: if there
   * is none. A head counts as none if the log has lost the changes that lead to it. Returns null if it is done, and
   * otherwise the present head.
   *
   * Changes lead from the state `expected` to the head. A head of another epoch, or without an earlier head, begins a new
   * log at its image, from which the changes then lead. Without changes, a head may leap to the state of its image.
   * Changes up to the image of the head before are removed when the image changes. Throws an Error if the changes do not
   * lead to the head. Rejects with a PublicationError.
   */
  appendIf(expected: PublishedState | null, head: Head, changes?: readonly PublishedChange[]): Promise<Refused | null>;
  /**
   * Returns the changes after a state, in pieces of some 16 MiB. If there are none, waits for one, or until the head
   * differs from the one that the last call returned. One reader at a time. A change that cannot be read ends a piece.
   * Rejects with a PublicationError, or with the reason of the signal.
   */
  readFrom(after: PublishedState, options: WaitOptions): Promise<ReadLog>;
}

/** A name that was opened, without its images. */
export interface OpenedLog {
  readonly log: PublicationLog;
  readonly presence: Presence;
  /** Ends all connections. Pending calls reject. */
  close(): Promise<void>;
}

/** Images, wherever they are. Bytes are streamed. */
export interface PublishedImages {
  /** Stores the image at a path, and returns its name and size. Does nothing if it is there. Rejects with a PublicationError. */
  putImage(path: string, signal?: AbortSignal): Promise<Pick<PublishedImage, 'sha256' | 'bytes'>>;
  /** Writes an image to a path, when its bytes have the SHA-256. Rejects with a PublicationError. */
  getImage(image: Pick<PublishedImage, 'sha256' | 'bytes'>, path: string, signal?: AbortSignal): Promise<void>;
}

/** A name under which content is published. */
export interface Publication extends PublicationLog, PublishedImages {}

/** An append that was not done, because another head is there. */
export interface Refused {
  readonly head: Head | null;
}

/** Who takes part: publisher and replicas. Entries vanish if they are not renewed. */
export interface Presence {
  /** Says that a member is there, for `seconds`. `members` never fail together with the log: nobody's safety needs them. */
  renew(member: Member, seconds: number): Promise<void>;
  members(): Promise<Member[]>;
  leave(id: string): Promise<void>;
}

/** Plain JSON. */
export interface Member {
  /** Unique, and new with each start. */
  readonly id: string;
  readonly role: 'publisher' | 'replica';
  /** Host and process. */
  readonly name: string;
  /** The version that it serves, as in the header `X-Lectern-Version`; null before the first. */
  readonly version: string | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The publication cannot be read or written. `outcome` says of an append whether it is done: `none` for certain not,
 * `unknown` if the connection ended before the answer.
 */
export class PublicationError extends Error {
  override readonly name = 'PublicationError';
  readonly outcome: 'none' | 'unknown';

  constructor(message: string, options: { readonly cause?: Error; readonly outcome?: 'none' | 'unknown' } = {}) {
    super(message, { cause: options.cause });
    this.outcome = options.outcome ?? 'none';
  }
}
