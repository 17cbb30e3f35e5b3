/** Readers of parts of a query that several dialects use. */
import type { ErrorPolicy } from './errors.ts';
import { everyLocale, type FieldNames, type LocaleNode, type UnresolvedSortKey } from './policies.ts';
import type { Part } from './syntax/location.ts';
import { type ParameterNode, parseParameter } from './syntax/parameter-nodes.ts';
import type { SortNode, SortObjectNode, SortText } from './syntax/sort-nodes.ts';

/** The parameters of every dialect. */
export const commonParameters: readonly string[] = [
  'filters',
  'fields',
  'populate',
  'sort',
  'pagination',
  'status',
  'locale',
  'publicationFilter',
  'hasPublishedVersion',
  '_q',
  'facets',
];

/** How a dialect reads the parts of a sort. */
export interface SortReader {
  readonly errors: Pick<ErrorPolicy, 'mixedSort' | 'wrongSort'>;
  readText(text: SortText): UnresolvedSortKey[];
  readObject(node: SortObjectNode, part: Part): UnresolvedSortKey[];
}

/** Reads the keys of a sort in order. Throws for a list that mixes texts and objects, and for any other form. */
export function readSortKeys(node: SortNode, part: Part, reader: SortReader): UnresolvedSortKey[] {
  switch (node.kind) {
    case 'text':
      return node.keys.flatMap((text) => reader.readText(text));
    case 'list': {
      const forms = new Set(node.items.map(({ raw }) => typeof raw));
      if (forms.size > 1) throw reader.errors.mixedSort(part, node.raw);
      return node.items.flatMap((item) => readSortKeys(item, part, reader));
    }
    case 'object':
      return reader.readObject(node, part);
    case 'value':
      if (node.raw === undefined || node.raw === null) return [];
      throw reader.errors.wrongSort(part, null, node.raw);
    default:
      return node satisfies never;
  }
}

/** Reads names between commas and stars. Null if an item is no text. */
export function readFieldNames(items: readonly unknown[]): FieldNames | null {
  if (!items.every((item) => typeof item === 'string')) return null;
  const parts = items.flatMap((item) => item.split(',')).map((name) => name.trim());
  const names = parts.filter((name) => name !== '*');
  return { names, hasStar: names.length < parts.length, isMalformed: false };
}

const states = ['live', 'preview'] as const;

/** Returns the `publicationState` of Strapi 4. Throws for a value that does not exist. */
export function readPublicationState(node: ParameterNode, errors: ErrorPolicy): 'live' | 'preview' | null {
  if (node.kind === 'empty') return null;
  const state = states.find((known) => known === node.raw);
  if (!state) throw errors.unknownChoice(node, states);
  return state;
}

/** Returns `*` for the locale `all` of Strapi 4. */
export function withoutAlias(locale: LocaleNode): LocaleNode {
  return locale !== everyLocale && locale.raw === 'all' ? parseParameter(locale.param, '*') : locale;
}
