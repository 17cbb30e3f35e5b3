/** The route of `strapi-plugin-lectern` of a simulated Strapi: it hands over what its REST API shows. */
import { createHmac } from 'node:crypto';
import type { PluginQuery } from '../../../src/follow/rest/plugin/plugin-route.ts';
import { mergeParts, type Shown } from '../../../src/follow/rest/read-row.ts';
import { findTypes, type RestTypes } from '../../../src/follow/rest/rest-types.ts';
import { RowReader } from '../../../src/follow/rest/row-reader.ts';
import { type Slice, slicesOf } from '../../../src/follow/rest/slices.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';

export const secret = 'a secret of the plugin';

const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** An API token, as the route hands it over. */
export interface TokenLine {
  name: string;
  type: string;
  kind?: string;
  accessKey: string;
  expiresAt: string | null;
  permissions: { action: string }[];
}

export class ServedRoute {
  /** The address of the REST API from inside. */
  readonly #address: string;
  readonly queries: PluginQuery[] = [];
  position = { epoch: 'one', sequence: 0 };
  apiTokens: TokenLine[] = [];
  emailConfirmation = false;
  /** Changes the lines of an answer. */
  edit: (lines: unknown[], query: PluginQuery) => unknown[] = (lines) => lines;
  /** Changes the text before it is signed. */
  write: (text: string) => string = (text) => text;
  /** Changes the text of an answer. */
  spoil: (text: string, query: PluginQuery) => string = (text) => text;
  #content: { readonly reader: RowReader; readonly types: RestTypes } | null = null;

  constructor(address: string) {
    this.#address = address;
  }

  /** Answers a request with a status and a text. */
  async answer(url: string, signature: string): Promise<{ status: number; text: string }> {
    const asked = new URL(url, 'http://strapi').searchParams.get('query')!;
    const refuse = (message: string) => ({ status: 401, text: JSON.stringify({ error: { message } }) });
    if (signature !== sign(asked)) return refuse('The signature is wrong');
    const query = JSON.parse(asked) as PluginQuery & { time: number };
    if (Math.abs(Date.now() - query.time) > 60_000) return refuse('The clocks differ by more than a minute');
    this.queries.push(query);
    const head = { version: 1, ...this.position };
    const lines = query.type === undefined ? [await this.#outline()] : await this.#rowsOf(query.type, query);
    const lined = this.edit([head, ...lines], query)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    const text = this.write(lined);
    return { status: 200, text: this.spoil(`${text}${sign(`${signature}\n${text}`)}\n`, query) };
  }

  async #open() {
    if (this.#content) return this.#content;
    const client = await StrapiClient.open({ url: this.#address, token: 'reader', firstPause: 1 });
    this.#content = { reader: new RowReader(client, ['en']), types: await findTypes(client) };
    return this.#content;
  }

  async #outline(): Promise<object> {
    const { types } = await this.#open();
    return {
      types: types.definitions,
      privateAttributes: [],
      locales: [],
      defaultLocale: 'en',
      ofUsers: { email_confirmation: this.emailConfirmation },
      apiTokens: this.apiTokens,
      apiTokenSalt: 'salt',
    };
  }

  async #rowsOf(uid: string, { status, ids, documentIds, after = 0, limit = 1000, isShort }: PluginQuery) {
    const { reader, types } = await this.#open();
    const found = new Map<number, Shown>();
    for (const slice of slicesOf(types, types.readable.get(uid)!)) {
      // with a status, its links; otherwise the rows of both
      if (status === undefined ? slice.isOnlyLinks : slice.status !== status) continue;
      const rows = ids
        ? await reader.byIds(slice, ids)
        : documentIds
          ? await reader.byDocumentIds(slice, documentIds)
          : await pagesAfter(reader, slice, after);
      for (const row of rows) found.set(row.id, mergeParts(found.get(row.id) ?? row, row) as Shown);
    }
    const rows = [...found.values()].sort((one, other) => one.id - other.id).slice(0, limit);
    return isShort ? rows.map(({ id, documentId, updatedAt }) => ({ id, documentId, updatedAt })) : rows;
  }
}

async function pagesAfter(reader: RowReader, slice: Slice, after: number): Promise<Shown[]> {
  const rows: Shown[] = [];
  for (let next: number | null = after; next !== null; ) {
    const page = await reader.page(slice, next);
    rows.push(...page.rows);
    next = page.next;
  }
  return rows;
}
