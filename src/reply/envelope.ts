import type { Page } from '../query/bound.ts';
import type { JsonWriter } from './json-writer.ts';

const start = Buffer.from('"start":');
const limit = Buffer.from(',"limit":');
const page = Buffer.from('"page":');
const pageSize = Buffer.from(',"pageSize":');
const pageCount = Buffer.from(',"pageCount":');
const totals = Buffer.from(',"total":');
const openPagination = Buffer.from('{"pagination":{');
const closePagination = Buffer.from('}}');

/** Writes the `meta` of a collection's reply. Without a total only what was asked for is known. */
export function writePageMeta(writer: JsonWriter, asked: Page, total: number | null): void {
  const isPage = asked.mode === 'page';
  writer.append(openPagination);
  writer.append(isPage ? page : start);
  writer.number(isPage ? Math.floor(asked.start / asked.limit) + 1 : asked.start);
  writer.append(isPage ? pageSize : limit);
  writer.number(asked.limit);
  if (total !== null) {
    if (isPage) {
      writer.append(pageCount);
      writer.number(Math.ceil(total / asked.limit));
    }
    writer.append(totals);
    writer.number(total);
  }
  writer.append(closePagination);
}
