/** The syntax of `populate`: `*`, dotted paths, or an object of attributes with options. */
import type { Window } from '../bound.ts';
import { type FilterNode, parseFilter } from './filter-nodes.ts';
import { attributePlace, nestedPlace, type PopulatePlace, populateRoot, typePlace } from './location.ts';
import { type FieldsNode, parseFields } from './parameter-nodes.ts';
import { isContainer } from './parse.ts';
import { parseSort, type SortNode } from './sort-nodes.ts';

/** What is populated at `place`. */
export type PopulateNode = StarNode | PathsNode | TreeNode;

interface StarNode {
  readonly kind: 'star';
  readonly place: PopulatePlace;
}

/** A text, or a list of texts. */
export interface PathsNode {
  readonly kind: 'paths';
  readonly place: PopulatePlace;
  /** Null if something in it is no text. */
  readonly items: readonly PathItem[] | null;
  readonly raw: unknown;
}

/** One text. */
export interface PathItem {
  readonly text: string;
  /** The paths between its commas, each as names without blanks. Those without names are left out. */
  readonly paths: readonly (readonly string[])[];
}

export interface TreeNode {
  readonly kind: 'tree';
  readonly place: PopulatePlace;
  readonly entries: readonly PopulateEntry[];
  readonly raw: object;
}

/** A key of an object. It should be an attribute, or in `on` the uid of a type. */
export interface PopulateEntry {
  readonly key: string;
  readonly place: PopulatePlace;
  readonly value: OptionsNode;
}

/** The value of a key: an object of options, or a single value or list, such as `true` or `*`. */
export type OptionsNode = PopulateOptions | SingleValue;

interface SingleValue {
  readonly kind: 'value';
  readonly raw: unknown;
}

export interface PopulateOptions {
  readonly kind: 'options';
  /** As the query gives them, for messages. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Every key, known or not, in the order of the query. */
  readonly keys: readonly string[];
  readonly filters: FilterNode;
  readonly sort: SortNode;
  readonly fields: FieldsNode | null;
  readonly populate: PopulateNode | null;
  readonly on: OnNode | null;
  /** Undefined if the query lacks it. */
  readonly count: unknown;
  /** Content of Strapi 4: the part of the list that is shown. */
  readonly window?: Window;
}

/** The option `on`: types with their options. Null entries: it is no object. */
export interface OnNode {
  readonly entries: readonly PopulateEntry[] | null;
  readonly raw: unknown;
}

/** Parses `populate`. Null if it populates nothing. */
export function parsePopulate(raw: unknown, place: PopulatePlace = populateRoot): PopulateNode | null {
  if (raw === undefined || raw === null || (raw === '' && place.path === null)) return null;
  if (raw === '*') return { kind: 'star', place };
  if (!isContainer(raw) || Array.isArray(raw)) return parsePaths(raw, place);
  const entries = Object.entries(raw).map(([key, value]) => parseEntry(key, value, attributePlace(place, key)));
  return { kind: 'tree', place, entries, raw };
}

function parsePaths(raw: unknown, place: PopulatePlace): PathsNode {
  const texts = Array.isArray(raw) ? raw : [raw];
  const items = texts.every((text) => typeof text === 'string') ? texts.map(parsePathItem) : null;
  return { kind: 'paths', place, items, raw };
}

function parsePathItem(text: string): PathItem {
  const paths = text.split(',').map((path) => {
    const names = path.split('.').map((name) => name.trim());
    return names.filter((name) => name !== '');
  });
  return { text, paths: paths.filter((names) => names.length > 0) };
}

function parseEntry(key: string, raw: unknown, place: PopulatePlace): PopulateEntry {
  return { key, place, value: parseOptions(raw, place) };
}

function parseOptions(raw: unknown, place: PopulatePlace): OptionsNode {
  if (!isContainer(raw) || Array.isArray(raw)) return { kind: 'value', raw };
  return optionsNode(raw as Record<string, unknown>, place);
}

/** Parses an object of options. */
export function optionsNode(raw: Readonly<Record<string, unknown>>, place: PopulatePlace): PopulateOptions {
  return {
    kind: 'options',
    raw,
    keys: Object.keys(raw),
    filters: parseFilter(raw.filters),
    sort: parseSort(raw.sort),
    fields: parseFields(raw.fields),
    populate: parsePopulate(raw.populate, nestedPlace(place)),
    on: parseOn(raw.on, place),
    count: raw.count,
  };
}

function parseOn(raw: unknown, place: PopulatePlace): OnNode | null {
  if (raw === undefined) return null;
  if (!isContainer(raw) || Array.isArray(raw)) return { entries: null, raw };
  return { entries: Object.entries(raw).map(([uid, value]) => parseEntry(uid, value, typePlace(place, uid))), raw };
}
