import type { SelectionPolicy } from '../policies.ts';

/** Serves exactly what was asked for. */
export const documentSelection: SelectionPolicy = {
  reportsPrivateLast: false,
  readFields({ items }) {
    if (!items.every((item) => typeof item === 'string')) return null;
    const parts = items.flatMap((item) => item.split(',')).map((name) => name.trim());
    const names = parts.filter((name) => name !== '*');
    return { names, hasStar: names.length < parts.length, isMalformed: false };
  },
  fieldsOfSort: () => [],
  besideFields: (_type, populate) => populate,
  filterOfChosen: ({ filter }) => filter,
};
