import { type Content, SnapshotError } from '../../src/index.ts';
import type { Dialect } from '../naive/snapshot.ts';
import { contentTypes } from '../naive/types.ts';
import { type Address, addressesOf } from './addresses.ts';
import { type Difference, findDifference, openFor } from './compare.ts';
import type { Batch, Model } from './model.ts';
import { randomFrom } from './random-from.ts';
import { writeExport } from './write-export.ts';

/** How many URLs each comparison asks: of those that every comparison may ask, and of newly drawn ones. */
export interface Sample {
  asked: number;
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

/** The content that is changed, and the questions that it must answer as fresh content does. */
export class Session {
  readonly #content: Content;
  readonly #dialect: Dialect;
  readonly #addresses: readonly Address[];
  readonly #sample: Sample;
  /** The only URL that is asked while a failure is made smaller. */
  readonly #only: Address | null;
  compared = 0;
  /** What was done, for the report of a failure. */
  readonly done: string[] = [];

  constructor(content: Content, dialect: Dialect, addresses: readonly Address[], sample: Sample, only: Address | null) {
    this.#content = content;
    this.#dialect = dialect;
    this.#addresses = addresses;
    this.#sample = sample;
    this.#only = only;
  }

  apply(name: string, batch: Batch): void {
    this.done.push(`${name}: ${JSON.stringify(batch)}`);
    this.#content.apply(structuredClone(batch));
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
    const addresses = this.#only ? [this.#only] : this.#choose(model, batch, seed);
    const difference = await findDifference(this.#content, await openFor(writeExport(model), this.#dialect), addresses);
    this.compared += addresses.length;
    if (difference) throw new ReplyDiffers(difference);
  }

  #choose(model: Model, batch: Batch, seed: number): Address[] {
    const random = randomFrom(seed);
    const { asked, drawn } = this.#sample;
    return [
      ...random.some(this.#addresses, asked, asked),
      ...random.some(addressesOf(random, model), drawn, drawn),
      ...random.some(touched(model, batch), 4, 4),
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
