import type { SelectionPolicy } from '../policies.ts';
import { readFieldNames } from '../shared-readers.ts';

/** Serves exactly what was asked for. */
export const documentSelection: SelectionPolicy = {
  reportsPrivateLast: false,
  readFields: ({ items }) => readFieldNames(items),
  fieldsAddedBySort: () => [],
  populatedBesideFields: (_type, populate) => populate,
  filterBesideFields: ({ filter }) => filter,
};
