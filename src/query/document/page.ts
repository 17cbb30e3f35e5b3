import { offsetNames, pageNames } from '../bind/bind-page.ts';
import type { PagePolicy } from '../policies.ts';
import { documentErrors as errors } from './errors.ts';
import { unknownPaginationKey, wrongPagination } from './own-errors.ts';

const names: ReadonlySet<string> = new Set([...pageNames, ...offsetNames, 'withCount']);

/** Every key must exist, and every number must be whole. */
export const documentPage: PagePolicy = {
  pagingOfUnpagedRoute: (isList) => (isList ? 'pagination' : 'none'),
  checksUnused: true,
  // such parameters do not exist
  checkRootPage: () => {},
  readMembers(node) {
    const { members } = node;
    if (members === null) throw wrongPagination(node);
    const key = Object.keys(members).find((name) => !names.has(name));
    if (key !== undefined) throw unknownPaginationKey(key, names, members[key]);
    return members;
  },
  checkNumber(name, value, number) {
    if (!isWhole(value)) throw errors.wrongPageNumber(name, value, number);
  },
  isMaximum: () => false,
};

/** Returns whether a value is a whole number, or decimal digits. */
function isWhole(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value);
}
