import { isPlainObject } from '../../../core/plain-object.ts';
import type { Shown } from '../read-row.ts';
import type { Page, RowSource } from '../row-source.ts';
import type { Slice } from '../slices.ts';
import type { PluginQuery, PluginRoute } from './plugin-route.ts';

/** Rows of a page: of whole rows, and of their ids and times. */
const pageSize = 100;
const scanSize = 5000;

/** Reads the rows of a type, whatever their status and locale, by the route of the plugin. */
export class PluginRows implements RowSource {
  readonly #route: PluginRoute;

  constructor(route: PluginRoute) {
    this.#route = route;
  }

  page(slice: Slice, after: number): Promise<Page> {
    return this.#page(slice, { after, limit: pageSize });
  }

  byIds(slice: Slice, ids: readonly number[]): Promise<readonly Shown[]> {
    return this.#rows(slice, { ids });
  }

  byDocumentIds(slice: Slice, documentIds: readonly string[]): Promise<readonly Shown[]> {
    return this.#rows(slice, { documentIds });
  }

  scan(slice: Slice, after: number): Promise<Page> {
    return this.#page(slice, { after, limit: scanSize, isShort: true });
  }

  async count(): Promise<null> {
    return null;
  }

  async #page(slice: Slice, query: PluginQuery & { readonly after: number; readonly limit: number }): Promise<Page> {
    const rows = await this.#rows(slice, query);
    let last = query.after;
    for (const { id } of rows) {
      if (id <= last)
        throw this.#route.error(`the ids of ${slice.readable.type.uid} do not ascend from ${query.after}.`);
      last = id;
    }
    return { rows, next: rows.length < query.limit ? null : last };
  }

  async #rows({ readable, status }: Slice, query: PluginQuery): Promise<readonly Shown[]> {
    const { uid } = readable.type;
    const { lines } = await this.#route.ask({ type: uid, status: status ?? undefined, ...query });
    const isRow = (line: unknown): line is Shown => isPlainObject(line) && Number.isSafeInteger(line.id);
    if (lines.every(isRow)) return lines;
    throw this.#route.error(`the answer has a line for ${uid} that is no row with an "id".`);
  }
}
