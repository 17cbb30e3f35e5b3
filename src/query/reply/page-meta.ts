import type { Page } from '../bound.ts';
import type { JsonWriter } from './json-writer.ts';

const start = Buffer.from('"start":');
const limit = Buffer.from(',"limit":');
const page = Buffer.from('"page":');
const pageSize = Buffer.from(',"pageSize":');
const pageCount = Buffer.from(',"pageCount":');
const totals = Buffer.from(',"total":');
const openPagination = Buffer.from('{"pagination":{');
const closePagination = Buffer.from('}}');

/** Writes the `meta` of a list. `total` is null if the query does not count. */
export function writePageMeta(writer: JsonWriter, requested: Page, total: number | null): void {
  const isPage = requested.mode === 'page';
  writer.append(openPagination);
  writer.append(isPage ? page : start);
  writer.number(isPage ? Math.floor(requested.start / requested.limit) + 1 : requested.start);
  writer.append(isPage ? pageSize : limit);
  writer.number(requested.limit);
  if (total !== null) {
    if (isPage) {
      writer.append(pageCount);
      writer.number(Math.ceil(total / requested.limit));
    }
    writer.append(totals);
    writer.number(total);
  }
  writer.append(closePagination);
}
