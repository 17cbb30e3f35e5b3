import type { Rows } from '../data/rows.ts';
import { type BuiltContent, openBuilt } from '../lectern.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import type { Peer } from './peer.ts';

/** The program itself, as it is built for users: from the URL, which it has to parse, to the reply. */
export class Lectern implements Peer {
  readonly #options: { cacheBytes?: number };
  #content!: BuiltContent;

  /** Without `cacheBytes` the program keeps as many replies as it does by default; with 0 it keeps none. */
  constructor(options: { cacheBytes?: number }) {
    this.#options = options;
  }

  async load(_rows: Rows, snapshot: string): Promise<void> {
    this.#content = await openBuilt(snapshot, this.#options);
  }

  query(_name: QueryName, { url }: ParameterSet): Buffer {
    const { status, body } = this.#content.answer(url, {});
    if (status !== 200) throw new Error(`${url}: ${status} ${body}`);
    return body;
  }
}
