/** Requests rows by ranges of ids, so that changes meanwhile neither skip nor repeat a row. */
import { isPlainObject } from '../../core/plain-object.ts';
import { userType } from '../../model/schema/schema.ts';
import { mergeParts, type Shown } from './read-row.ts';
import type { Page, RowSource } from './row-source.ts';
import type { Populate, Slice } from './slices.ts';
import type { StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';

/** The API returns at most this many rows for a request, unless the project sets a smaller maximum. */
const maxPageSize = 100;

/** Reads the rows of slices over the REST API. */
export class RowReader implements RowSource {
  readonly #client: StrapiClient;
  readonly #locales: readonly string[];
  readonly #users: boolean;
  /** By slice. Smaller than the maximum after a page failed. */
  readonly #pageSizes = new Map<Slice, number>();

  /** `locales` are those in which single types are asked for. Without `users`, rows show no users. */
  constructor(client: StrapiClient, locales: readonly string[], users = true) {
    this.#client = client;
    this.#locales = locales;
    this.#users = users;
  }

  async page(slice: Slice, after: number): Promise<Page> {
    if (slice.readable.kind === 'single') {
      const rows = await this.#single(slice);
      return { rows: rows.filter(({ id }) => id > after).sort((a, b) => a.id - b.id), next: null };
    }
    const { rows, next } = await this.#patiently(slice, after, (pageSize) =>
      this.#list(slice, { id: { $gt: after } }, pageSize, slice.parts[0], slice.isOnlyLinks),
    );
    const last = rows.at(-1);
    if (!last) return { rows, next };
    return { rows: await this.#complete(slice, rows, { id: { $gt: after, $lte: last.id } }), next };
  }

  async byIds(slice: Slice, ids: readonly number[]): Promise<readonly Shown[]> {
    if (ids.length === 0) return [];
    if (slice.readable.kind === 'single') return (await this.#single(slice)).filter(({ id }) => ids.includes(id));
    return this.#byFilter(slice, { id: { $in: ids } });
  }

  async byDocumentIds(slice: Slice, documentIds: readonly string[]): Promise<readonly Shown[]> {
    if (documentIds.length === 0) return [];
    if (slice.readable.kind === 'single') {
      return (await this.#single(slice)).filter(({ documentId }) => documentIds.includes(documentId as string));
    }
    return this.#byFilter(slice, { documentId: { $in: documentIds } });
  }

  async scan(slice: Slice, after: number, fields: readonly string[], filters: object = {}): Promise<Page> {
    if (slice.readable.kind === 'single') return this.page(slice, after);
    const range = { ...filters, id: { $gt: after } };
    return this.#patiently(slice, after, (pageSize) => this.#list(slice, range, pageSize, undefined, true, fields));
  }

  async count(slice: Slice): Promise<number | null> {
    const { kind, path, permission } = slice.readable;
    if (kind !== 'collection') return null;
    const query = { ...baseOf(slice), fields: ['id'], pagination: { pageSize: 1, withCount: true } };
    const { meta } = (await this.#client.get(path, query, permission)) as {
      meta?: { pagination?: { total?: unknown } };
    };
    const total = meta?.pagination?.total;
    return typeof total === 'number' ? total : null;
  }

  async #byFilter(slice: Slice, filters: object): Promise<readonly Shown[]> {
    const rows: Shown[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const range: object = { $and: [filters, { id: { $gt: after } }] };
      const page: Page = await this.#patiently(slice, after, (pageSize) =>
        this.#list(slice, range, pageSize, slice.parts[0], slice.isOnlyLinks),
      );
      const last = page.rows.at(-1);
      if (last) {
        const covered = { $and: [filters, { id: { $gt: after, $lte: last.id } }] };
        rows.push(...(await this.#complete(slice, page.rows, covered)));
      }
      after = page.next;
    }
    return rows;
  }

  /** Adds the attributes of the further parts of `populate`. Leaves out rows that changed between the requests. */
  async #complete(slice: Slice, rows: readonly Shown[], filters: object): Promise<readonly Shown[]> {
    if (slice.parts.length === 1) return rows;
    const found = new Map<number, unknown>(rows.map((row) => [row.id, row]));
    for (const part of slice.parts.slice(1)) {
      const seen = new Set<number>();
      for (const row of await this.#all(slice, filters, part)) {
        seen.add(row.id);
        if (found.has(row.id)) found.set(row.id, mergeParts(found.get(row.id), row));
      }
      for (const id of found.keys()) if (!seen.has(id)) found.delete(id);
    }
    return Array.from(found.values()).filter((row): row is Shown => row !== undefined);
  }

  /** Returns all rows that a filter selects, with one part of `populate`. */
  async #all(slice: Slice, filters: object, part: Populate | undefined): Promise<Shown[]> {
    const all: Shown[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const range: object = { $and: [filters, { id: { $gt: after } }] };
      const { rows, next }: Page = await this.#patiently(slice, after, (size) =>
        this.#list(slice, range, size, part, true),
      );
      all.push(...rows);
      after = next;
    }
    return all;
  }

  /** Requests the rows after an id, and again with smaller pages if the server cannot answer. */
  async #patiently(slice: Slice, after: number, read: (pageSize: number) => Promise<Page>): Promise<Page> {
    for (;;) {
      const pageSize = this.#pageSizes.get(slice) ?? maxPageSize;
      try {
        const page = await read(pageSize);
        if (page.next !== null) checkOrder(page.rows, after, this.#client.urlOf(slice.readable.path));
        return page;
      } catch (error) {
        const isTooMuch = error instanceof StrapiError && (error.status === null || error.status >= 500);
        if (!isTooMuch || pageSize === 1) throw error;
        this.#pageSizes.set(slice, Math.ceil(pageSize / 4));
      }
    }
  }

  async #list(
    slice: Slice,
    filters: object,
    pageSize: number,
    populate: Populate | undefined,
    isPart: boolean,
    fields: readonly string[] = ['id'],
  ): Promise<Page> {
    const { kind, path, permission } = slice.readable;
    const size = kind === 'list' ? { limit: pageSize } : { pagination: { pageSize, withCount: false } };
    const query = { ...baseOf(slice), sort: 'id', filters, ...size, ...(isPart && { fields }), populate };
    const reply = await this.#client.get(path, query, permission);
    const { data, meta } = (kind === 'list' ? { data: reply, meta: undefined } : reply) as {
      data?: unknown;
      meta?: { pagination?: { pageSize?: number } };
    };
    const rows = this.#readRows(data, path);
    // the server may have a smaller maximum
    const isFull = rows.length >= Math.min(pageSize, meta?.pagination?.pageSize ?? pageSize);
    return { rows, next: isFull ? (rows.at(-1)?.id ?? null) : null };
  }

  /** Returns the rows of a single type: one for each locale. */
  async #single(slice: Slice): Promise<Shown[]> {
    const { type } = slice.readable;
    const locales = type.localized ? this.#locales : [undefined];
    const rows = await Promise.all(locales.map((locale) => this.#singleIn(slice, locale)));
    const found = rows.filter((row) => row !== null);
    return Array.from(new Map(found.map((row) => [row.id, row])).values());
  }

  async #singleIn(slice: Slice, locale: string | undefined): Promise<Shown | null> {
    const { path, permission } = slice.readable;
    let whole: unknown = null;
    for (const [i, populate] of slice.parts.entries()) {
      const query = { ...baseOf(slice), locale, populate, ...((i > 0 || slice.isOnlyLinks) && { fields: ['id'] }) };
      const reply = await this.#client.get(path, query, permission).catch((error: unknown) => {
        if (error instanceof StrapiError && error.isFromStrapi && error.status === 404) return { data: null };
        throw error;
      });
      const { data } = (reply ?? {}) as { data?: unknown };
      if (data === null || data === undefined) return null;
      const [row] = this.#readRows([data], path);
      whole = i === 0 ? row : mergeParts(whole, row);
      // the row changed between the requests; the search for changes reads it again
      if (whole === undefined) return null;
    }
    return whole as Shown;
  }

  /** Returns the rows of a reply. Throws a StrapiError if it holds something else. */
  #readRows(data: unknown, path: string): Shown[] {
    if (!Array.isArray(data) || !data.every(isRow)) {
      const url = this.#client.urlOf(path);
      throw new StrapiError(`${url} answers with something other than entries with an "id".`, 200);
    }
    return this.#users ? data : data.map((row) => withoutUsers(row) as Shown);
  }
}

/** Returns a value of a reply without the users to which polymorphic relations lead. */
function withoutUsers(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isUser(item)).map(withoutUsers);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isUser(each) ? null : withoutUsers(each)]),
  );
}

function isUser(value: unknown): boolean {
  return isPlainObject(value) && value.__type === userType;
}

/** The parameters of all requests for a slice. */
function baseOf({ readable, status }: Slice): object {
  if (readable.kind === 'list') return {};
  return {
    ...(status !== null && { status }),
    ...(readable.kind === 'collection' && readable.type.localized && { locale: '*' }),
  };
}

/** Throws a StrapiError unless the ids ascend from `after`. Otherwise, pages would lose rows or never end. */
function checkOrder(rows: readonly Shown[], after: number, url: string): void {
  let last = after + 1;
  for (const { id } of rows) {
    if (id < last) {
      throw new StrapiError(`${url} ignores filters or "sort=id", so its entries cannot be read page by page.`, 200);
    }
    last = id;
  }
}

function isRow(row: unknown): row is Shown {
  return isPlainObject(row) && Number.isSafeInteger(row.id);
}
