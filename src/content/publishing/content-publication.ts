import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { messageOf } from '../../core/errors.ts';
import { cacheFolder, cacheSubfolder } from '../../http/files/cache-folder.ts';
import type { PinnedImage } from '../../load/loaded.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import { digestOfReplySettings } from '../../model/settings/reply-settings.ts';
import { Membership } from '../../publication/membership.ts';
import { type OpenedPublication, openPublication } from '../../publication/open-publication.ts';
import { PublicationError } from '../../publication/publication.ts';
import type { Content } from '../content.ts';
import type { ChangeWriter } from '../live/change-writer.ts';
import type { PublishParts } from '../live/published-content.ts';
import type { ContentEntry } from '../registry/contents.ts';
import { Publisher } from './publisher.ts';

/** The publication of a content, as the setting `publish` names it. */
export class ContentPublication {
  readonly #opened: OpenedPublication;
  readonly #publisher: Publisher;
  readonly #membership: Membership;
  readonly #confirmMilliseconds: number;
  readonly #folder: string;

  private constructor(
    opened: OpenedPublication,
    publisher: Publisher,
    membership: Membership,
    folder: string,
    milliseconds: number,
  ) {
    this.#opened = opened;
    this.#folder = folder;
    this.#publisher = publisher;
    this.#membership = membership;
    this.#confirmMilliseconds = milliseconds;
  }

  /**
   * Opens the publication for a content, whose source has this name if it follows one. Rejects with a ConfigError if the
   * publication cannot be opened.
   */
  static async open(content: Content, source: string | null, config: Config, log: Logger): Promise<ContentPublication> {
    const { publish, cacheDir } = config;
    const { to, name, images, confirmSeconds } = publish!;
    const open = (warn: (message: string) => void) =>
      openPublication({ to, name, images, isPublisher: true }, process.env, warn);
    const opened = await open((message) => log.warn(`publish: ${message}`)).catch((error: unknown) => {
      throw error instanceof PublicationError ? new ConfigError(`publish: ${error.message}`) : error;
    });
    const { loaded } = content.history;
    // servers of one snapshot have the same, wherever it lies
    const origin = source === null ? `content ${stateDigest(loaded)}` : `source ${source}`;
    const membership = new Membership('publisher', () => open(() => {}), log);
    const folder = await cacheSubfolder(await cacheFolder(cacheDir), 'published');
    const publisher = new Publisher({
      publication: opened.publication,
      presence: opened.presence,
      name: `${to} ${name}`,
      memberId: membership.id,
      folder,
      settings: digestOfReplySettings(config, loaded),
      source: hash('sha256', origin).slice(0, 32),
      isFollowed: source !== null,
      log,
    });
    return new ContentPublication(opened, publisher, membership, folder, confirmSeconds * 1000);
  }

  /** Makes content and publication equal, and then publishes each change. Rejects with a ConfigError. */
  async begin(changes: ChangeWriter, parts: PublishParts): Promise<void> {
    await changes.publish(this.#publisher, parts).catch((error: unknown) => {
      throw new ConfigError(`publish: ${messageOf(error)}`);
    });
  }

  /** All threads serve what an entry has. */
  serves({ content }: ContentEntry): void {
    if (content) this.#membership.serves(content.version);
  }

  /** As `Publisher.confirmed`, within the time of the setting. */
  confirmed(version: string): Promise<void> {
    return this.#publisher.confirmed(version, this.#confirmMilliseconds);
  }

  /** Fetches the image of the version that is pinned, if there is one. The caller removes the file. */
  async pinnedImage(): Promise<PinnedImage | null> {
    const pinned = this.#publisher.head?.pinned;
    if (!pinned) return null;
    const { epoch, sequence, digest, sha256 } = pinned;
    const path = join(this.#folder, `.${sha256}-${process.pid}.lectern`);
    await this.#opened.publication.getImage(pinned, path);
    return { version: { epoch, sequence }, digest, path };
  }

  async close(): Promise<void> {
    await this.#membership.close();
    await this.#opened.close();
  }
}
