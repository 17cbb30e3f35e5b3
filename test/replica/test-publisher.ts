import { join } from 'node:path';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import { changeLoadedInSteps } from '../../src/content/versions/change-loaded.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import type { Head, Publication, PublishedChange, PublishedImage } from '../../src/publication/publication.ts';
import { type ContentVersion, nextVersion } from '../../src/store/content-version.ts';
import { compactHere } from '../support/compact-here.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';

let epochs = 1000;

/** Publishes things with a title, as a publisher does. */
export class TestPublisher {
  readonly publication: Publication;
  readonly #folder = temporaryFolder();
  #loaded!: LoadedSnapshot;
  #version!: ContentVersion;
  #images = 0;
  #head: Head | undefined;

  private constructor(publication: Publication) {
    this.publication = publication;
  }

  /** Publishes a thing with the title "First". */
  static async begin(
    publication: Publication,
    more: Partial<Head> = {},
    content = things('First'),
  ): Promise<TestPublisher> {
    const publisher = new TestPublisher(publication);
    await publisher.begin(content, more);
    return publisher;
  }

  /** Begins a new epoch. */
  async begin(content: JsonSnapshot | LoadedSnapshot = this.#loaded, more: Partial<Head> = {}): Promise<void> {
    this.#loaded = 'store' in content ? content : await loadSnapshot(content);
    this.#version = { epoch: ++epochs, sequence: 0 };
    const image = await this.putImage();
    await this.#append({ settings: 'as here', pinned: null, source: 'tests', ...more, ...this.state, image }, []);
  }

  /** The publication has lost its head. */
  forget(): void {
    this.#head = undefined;
  }

  /** What was published last. */
  get head(): Head {
    return this.#head!;
  }

  get state() {
    return { ...this.#version, digest: stateDigest(this.#loaded) };
  }

  get loaded(): LoadedSnapshot {
    return this.#loaded;
  }

  /** Publishes a change that gives the first thing a title. */
  async retitle(title: string): Promise<PublishedChange> {
    return this.change(retitled(title));
  }

  async change(batch: Batch): Promise<PublishedChange> {
    const change = this.make(batch);
    await this.#append({ ...this.head, ...this.state }, [change]);
    return change;
  }

  /** Makes a change without publishing it. */
  make(changes: Batch): PublishedChange {
    const before = stateDigest(this.#loaded);
    this.#loaded = runAtOnce(changeLoadedInSteps(this.#loaded, changes, { drafts: false, users: true }));
    this.#version = nextVersion(this.#version);
    return { ...this.#version, digests: { before, after: stateDigest(this.#loaded) }, changes };
  }

  /** Stores an image of the present state. */
  async putImage(): Promise<PublishedImage> {
    const path = join(this.#folder, `${++this.#images}.lectern`);
    const store = await compactHere(this.#loaded, new AbortController().signal);
    await writeImage(path, imageContentOf({ ...this.#loaded, store, version: this.#version }));
    return { ...this.state, ...(await this.publication.putImage(path)) };
  }

  /** Lets the log begin at the present state. */
  async publishImage(): Promise<void> {
    await this.#append({ ...this.head, image: await this.putImage() }, []);
  }

  /** Replaces parts of the head. */
  async announce(parts: Partial<Head>): Promise<void> {
    await this.#append({ ...this.head, ...parts }, []);
  }

  async #append(head: Head, changes: PublishedChange[]): Promise<void> {
    const refused = await this.publication.appendIf(this.#head ?? null, head, changes);
    if (refused) throw new Error(`the append was refused: ${JSON.stringify(refused)}`);
    this.#head = head;
  }
}

export function things(...titles: string[]): JsonSnapshot {
  const entries = titles.map((title, index) => ({ documentId: index === 0 ? 'one' : `thing-${index}`, title }));
  return thingSnapshot({ title: { type: 'string' } }, entries);
}

/** A batch that gives the first thing a title. */
export function retitled(title: string): Batch {
  return { entities: [{ type: 'api::thing.thing', id: 1, data: { documentId: 'one', title } }], links: [] };
}
