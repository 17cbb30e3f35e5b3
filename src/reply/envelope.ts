import type { Page } from '../query/bound.ts';

/** The `meta` of a collection's reply. Without a total only what was asked for is known. */
export function pageMeta({ mode, start, limit }: Page, total: number | null): string {
  const pagination =
    mode === 'page'
      ? {
          page: Math.floor(start / limit) + 1,
          pageSize: limit,
          ...(total === null ? {} : { pageCount: Math.ceil(total / limit), total }),
        }
      : { start, limit, ...(total === null ? {} : { total }) };
  return JSON.stringify({ pagination });
}
