import { DAY, HOUR, iso, LAST_DAY } from '../../data/generator/dates.ts';
import { hash, type Random } from '../../data/generator/random.ts';

/** A shape of content that is generated for the benchmarks. */
export interface Content {
  name: string;
  title: string;
  /** The content type that most queries ask for, by its singular name. */
  main: string;
  /** Default number of entries, all types together. */
  entries: number;
  /** The same entries and seed write the same bytes. */
  write(folder: string, entries: number, seed: number): void;
  /** Files that decide what is written, relative to the project. */
  sources: string[];
}

export interface Attribute {
  type: string;
  [option: string]: unknown;
}

/** A relation's target is named by its singular name. `side` is `inversedBy` or `mappedBy` with an attribute's name. */
export function relation(kind: string, target: string, side: object = {}): Attribute {
  return { type: 'relation', relation: kind, target: `api::${target}.${target}`, ...side };
}

/** The attributes of a type that are text, whole numbers and so on: `{ string: 'title code', integer: 'seconds' }`. */
export function attributes(names: Record<string, string>): Record<string, Attribute> {
  const all = Object.entries(names).flatMap(([type, list]) => list.split(' ').map((name) => [name, { type }]));
  return Object.fromEntries(all);
}

export function collection(singularName: string, pluralName: string, all: Record<string, Attribute>): object {
  return {
    kind: 'collectionType',
    info: { singularName, pluralName, displayName: singularName },
    options: { draftAndPublish: false },
    attributes: all,
  };
}

/** The role `public` may read these types. */
export function publicRole(types: string[]): object[] {
  const actions = types.flatMap((type) => ['find', 'findOne'].map((action) => `api::${type}.${type}.${action}`));
  return [{ type: 'public', name: 'Public', permissions: actions }];
}

export const settings = { defaultLocale: 'en', locales: [{ code: 'en', name: 'English (en)' }] };

/** 24 characters as Strapi writes them. The index at the end makes them unique. */
export function documentId(type: string, index: number): string {
  const part = (salt: string) => (hash(`${salt}${type}${index}`) >>> 0).toString(36).padStart(7, '0');
  const end = index.toString(36).padStart(4, '0');
  return `${part('a')}${part('b')}${part('c')}`.slice(0, 24 - end.length) + end;
}

/** The attributes that every entry has. */
export function system(type: string, index: number, random: Random): object {
  const created = LAST_DAY - random.integer(30, 4000) * DAY + random.integer(0, 86_399) * 1000;
  return {
    id: index + 1,
    documentId: documentId(type, index),
    createdAt: iso(created),
    updatedAt: iso(created + random.integer(1, 700) * HOUR),
    publishedAt: iso(created),
  };
}

/** A number with so many decimals. */
export function decimal(random: Random, least: number, most: number, decimals: number): number {
  return Number((least + random.next() * (most - least)).toFixed(decimals));
}
