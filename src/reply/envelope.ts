import type { Page } from '../query/bound.ts';

/** The `meta` of a collection's reply. Without a total only what was asked for is known. */
export function pageMeta({ mode, start, limit }: Page, total: number | null): string {
  const isPage = mode === 'page';
  const window = isPage
    ? `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`
    : `"start":${start},"limit":${limit}`;
  if (total === null) return `{"pagination":{${window}}}`;
  const pages = isPage ? `"pageCount":${Math.ceil(total / limit)},` : '';
  return `{"pagination":{${window},${pages}"total":${total}}}`;
}
