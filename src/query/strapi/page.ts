import { PaginationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { pageNames, readNumber } from '../bind/bind-page.ts';
import type { Page } from '../bound.ts';
import type { PagePolicy } from '../policies.ts';
import type { RootPageNode } from '../syntax/parameter-nodes.ts';
import { textOf } from '../syntax/raw-value.ts';
import { strapiErrors } from './errors.ts';

/** Ignores unknown keys, and a `pagination` that is no object. A size that is no number is the maximum. */
export const strapiPage: PagePolicy = {
  pagingOfUnpagedRoute: () => bindRoot,
  checksUnused: false,
  checkRootPage({ page, pageSize }) {
    if (page.raw !== undefined || pageSize.raw !== undefined) throw misplacedPage();
  },
  readMembers: ({ members }) => members ?? {},
  checkNumber: () => {},
  isMaximum: () => false,
};

/** In Strapi 4 a limit of -1 is the maximum. */
export const strapi4Page: PagePolicy = { ...strapiPage, isMaximum: (limit) => limit === -1 };

/**
 * Binds `start` and `limit` at the root, also for one entry, which a start above 0 does not find. `maxLimit` does not
 * apply. A limit of 0, -1 or none returns all entries. Page numbers are checked and ignored.
 */
function bindRoot(root: RootPageNode): Page {
  const has = (name: keyof RootPageNode) => root[name].kind !== 'empty';
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) throw misplacedPage();
  for (const name of pageNames) {
    const { raw } = root[name];
    const text = printed(raw);
    if (raw === undefined || /^[1-9]\d*$/.test(text)) continue;
    throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${text}`);
  }
  const read = (name: 'start' | 'limit', minimum: number) => {
    const node = root[name];
    if (node.kind === 'empty') return 0;
    const value = node.kind === 'list' ? node.raw[0] : node.raw;
    const number = readNumber(value);
    if (Number.isSafeInteger(number) && number >= minimum) return number;
    throw strapiErrors.wrongPageNumber(name, value, number);
  };
  const start = read('start', 0);
  const limit = read('limit', -1);
  return { mode: 'offset', start, limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, withCount: true };
}

function misplacedPage(): PaginationError {
  return new PaginationError(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

/** Returns a value as Strapi prints it. */
function printed(value: unknown): string {
  return isPlainObject(value) ? '[object Object]' : textOf(value);
}
