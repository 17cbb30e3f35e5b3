import { type Content, SnapshotError } from '../../src/index.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import type { Database, Dialect, Feature } from '../naive/snapshot.ts';
import { contentTypes } from '../naive/types.ts';
import type { HeldCompaction } from '../support/compact-here.ts';
import { openFromImage } from '../support/journaled.ts';
import { type Address, addressesOf } from './addresses.ts';
import { type Difference, findDifference, openFor, type Seen, withoutPublication, withoutStatus } from './compare.ts';
import { featureAddresses } from './feature-addresses.ts';
import type { Batch, Model } from './model.ts';
import { publishDrafts } from './published-drafts.ts';
import { randomFrom } from './random-from.ts';
import { writeExport } from './write-export.ts';

/** How many URLs each comparison asks. */
export interface Sample {
  /** The same in every comparison, so that their replies are cached. */
  repeated: number;
  /** Of those that the content began with. */
  asked: number;
  /** Drawn anew, with values that the content has now. */
  drawn: number;
}

/** A reply of the changed content that is not that of the same content opened afresh. */
export class ReplyDiffers extends Error {
  readonly difference: Difference;

  constructor(difference: Difference) {
    super('the replies differ');
    this.difference = difference;
  }
}

export interface SessionOptions {
  readonly content: Content;
  /** That of the content. */
  readonly compaction: HeldCompaction;
  readonly dialect: Dialect;
  readonly database?: Database;
  readonly features?: readonly Feature[];
  /** The URLs that the content began with, in random order. */
  readonly addresses: readonly Address[];
  readonly sample: Sample;
  /** The only URL that is asked while a failure is made smaller. */
  readonly only: Address | null;
  /** Kinds of changes that are not made. */
  readonly leavesOut: ReadonlySet<string>;
  /** Whether the content shows drafts in the place of published entries. */
  readonly showsDrafts: boolean;
  /** What replies are compared by. */
  readonly sees: (seen: Seen) => object;
}

/** The content that is changed, and the questions that it must answer as fresh content does. */
export class Session {
  readonly #options: SessionOptions;
  #content: Content;
  /** As it was loaded. */
  readonly #given: LoadedSnapshot;
  compared = 0;
  /** What was done, for the report of a failure. */
  readonly done: string[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#content = options.content;
    this.#given = options.content.history.loaded;
  }

  get leavesOut(): ReadonlySet<string> {
    return this.#options.leavesOut;
  }

  /** Asks the repeated URLs until their replies are cached. */
  async warm(): Promise<void> {
    const { addresses, sample, only } = this.#options;
    const urls = only ? [only] : addresses.slice(0, sample.repeated);
    for (let i = 0; i < 2; i++) await findDifference(this.#content, this.#content, urls);
  }

  apply(name: string, batch: Batch): void {
    this.done.push(`${name}: ${JSON.stringify(batch)}`);
    this.#content.apply(structuredClone(batch));
  }

  /** Compacts the content, or ends a compaction that was held. */
  async compact(): Promise<void> {
    this.done.push('compact');
    const { compaction } = this.#options;
    // the same one, if it is held
    const ended = this.#content.compact();
    compaction.release();
    await ended;
  }

  /** Begins a compaction that ends with the next call of `compact`. */
  beginCompaction(): void {
    const { compaction } = this.#options;
    if (compaction.isHeld) return;
    this.done.push('begin a compaction');
    compaction.hold();
    void this.#content.compact();
  }

  /** Goes on with the content of an image, as at a start with a compacted journal. */
  async reopen(): Promise<void> {
    this.done.push('reopen');
    const { compaction } = this.#options;
    compaction.release();
    this.#content = await openFromImage(this.#content, this.#given, { compact: compaction.compact, limits: null });
  }

  /** Throws an error if a batch is not rejected. */
  reject(batch: Batch): void {
    this.done.push(`reject: ${JSON.stringify(batch)}`);
    try {
      this.#content.apply(JSON.parse(JSON.stringify(batch)));
    } catch (error) {
      if (error instanceof SnapshotError) return;
      throw error;
    }
    throw new Error('a batch with a mistake is applied');
  }

  /** Throws a ReplyDiffers unless replies equal those of content opened afresh. `batch` is the last change. */
  async compare(model: Model, batch: Batch, seed: number): Promise<void> {
    const { dialect, database, features, only, sees, showsDrafts } = this.#options;
    const content = this.#content;
    const addresses = only ? [only] : this.#choose(model, batch, seed);
    const source = writeExport(showsDrafts ? publishDrafts(model) : model);
    const fresh = await openFor(source, dialect, {}, false, database, features);
    const difference = showsDrafts
      ? await findDifference(content, fresh, addresses, withoutPublication, withoutStatus)
      : await findDifference(content, fresh, addresses, sees);
    this.compared += addresses.length;
    if (difference) throw new ReplyDiffers(difference);
  }

  #choose(model: Model, batch: Batch, seed: number): Address[] {
    const random = randomFrom(seed);
    const { addresses, sample, features = [] } = this.#options;
    const { repeated, asked, drawn } = sample;
    const byFeature = featureAddresses(random, model.snapshot, features);
    return [
      ...addresses.slice(0, repeated),
      ...random.some(addresses, asked, asked),
      ...random.some(addressesOf(random, model), drawn, drawn),
      ...random.some(touched(model, batch), 4, 4),
      ...random.some(byFeature, 2 * drawn, 2 * drawn),
    ];
  }
}

/** URLs of the entries that a batch names. */
function touched(model: Model, { entities, links }: Batch): Address[] {
  const types = contentTypes(model.snapshot);
  return [...entities, ...links].flatMap(({ type: uid, id }): Address[] => {
    const type = types[uid];
    if (!type?.uid.startsWith('api::') || type.kind === 'singleType') return [];
    const query = `filters[id][$eq]=${id}&populate=*`;
    const documentId = model.rows(uid).get(id)?.documentId as string | undefined;
    const urls = [query, `${query}&status=draft`, `${query}&locale=*`].map((text) => `${type.pluralName}?${text}`);
    if (documentId !== undefined) urls.push(`${type.pluralName}/${encodeURIComponent(documentId)}?populate=*`);
    return urls.map((url) => ({ url: `/api/${url}`, caller: 'everything' }));
  });
}
