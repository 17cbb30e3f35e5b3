/** The page of a list, by what the reply says of it, and the steps to others. */
import type { ExploredQuery } from '../query/explored-query.ts';

/** The page that a reply shows. */
export interface ShownPage {
  /** The position of its first entry, from 0. */
  readonly start: number;
  readonly size: number;
  readonly total: number | null;
}

interface PaginationMeta {
  readonly page?: number;
  readonly pageSize?: number;
  readonly start?: number;
  readonly limit?: number;
  readonly total?: number;
}

/** Reads `meta.pagination`. Null for replies without pages. */
export function shownPageOf(reply: unknown): ShownPage | null {
  const meta = (reply as { meta?: { pagination?: PaginationMeta } } | null | undefined)?.meta?.pagination;
  if (!meta) return null;
  const size = meta.pageSize ?? meta.limit ?? 0;
  return { start: meta.start ?? ((meta.page ?? 1) - 1) * size, size, total: meta.total ?? null };
}

/** Returns the page of a query that is some pages further, as its URL names pages: by number, or by offset. */
export function turnedPage(
  page: ExploredQuery['page'],
  { start, size }: ShownPage,
  step: number,
): ExploredQuery['page'] {
  const target = Math.max(0, start + step * size);
  if (page.start !== undefined || page.limit !== undefined) return { ...page, start: String(target) };
  const { page: _page, ...rest } = page;
  const number = Math.floor(target / size) + 1;
  return number === 1 ? rest : { ...rest, page: String(number) };
}

/** Returns the first page with another size. */
export function resizedPage({ withCount }: ExploredQuery['page'], size: string): ExploredQuery['page'] {
  return { pageSize: size, ...(withCount !== undefined && { withCount }) };
}
