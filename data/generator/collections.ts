/** Content without drafts and translations, written from the definitions of its types and a maker of entries for each. */
import { DAY, HOUR, iso, LAST_DAY } from './dates.ts';
import { hash, Random } from './random.ts';
import { type Summary, writeFolder } from './write-folder.ts';

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

export interface Collections<Name extends string> {
  /** By uid. */
  components: Record<string, object>;
  definitions: Record<Name, object>;
  counts: Record<Name, number>;
  /** The attributes of an entry by its type. */
  makers: Record<Name, (random: EntryRandom, index: number, counts: Record<Name, number>) => object>;
}

/** The role `public` may read all types. */
export function writeCollections<Name extends string>(
  folder: string,
  seed: number,
  { components, definitions, counts, makers }: Collections<Name>,
): Summary {
  const names = Object.keys(definitions) as Name[];
  const permissions = names.flatMap((name) => ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`));
  const entries = function* (name: Name): Generator<object> {
    for (let index = 0; index < counts[name]; index++) {
      const random = new EntryRandom(seed, name, index);
      yield { ...systemAttributes(name, index, random), ...makers[name](random, index, counts) };
    }
  };
  return writeFolder(folder, {
    settings: { defaultLocale: 'en', locales: [{ code: 'en', name: 'English (en)' }] },
    roles: [{ type: 'public', name: 'Public', permissions }],
    components,
    types: names.map((name) => ({ singularName: name, definition: definitions[name], entries: entries(name) })),
  });
}

/** The stream of one entry. It also numbers the entry's components, of which there are fewer than 200. */
export class EntryRandom extends Random {
  #component: number;

  constructor(seed: number, name: string, index: number) {
    super(seed, name, index);
    this.#component = index * 200;
  }

  component(attributes: object): object {
    return { id: ++this.#component, ...attributes };
  }

  /** A number with that many decimals. */
  decimal(least: number, most: number, decimals: number): number {
    return Number((least + this.next() * (most - least)).toFixed(decimals));
  }

  list(least: number, most: number, make: () => object): object[] {
    return Array.from({ length: this.integer(least, most) }, make);
  }

  /** Different texts. There may be fewer than `least`. */
  distinct(least: number, most: number, make: () => string): string[] {
    return [...new Set(Array.from({ length: this.integer(least, most) }, make))];
  }

  /** A multiple of eight hexadecimal digits. */
  hexadecimal(words: number): string {
    const word = () => Math.floor(this.next() * 2 ** 32);
    return Array.from({ length: words }, () => word().toString(16).padStart(8, '0')).join('');
  }
}

/** 24 characters as Strapi writes them. The index at the end makes them unique. */
export function documentId(type: string, index: number): string {
  const part = (salt: string) => (hash(`${salt}${type}${index}`) >>> 0).toString(36).padStart(7, '0');
  const end = index.toString(36).padStart(4, '0');
  return `${part('a')}${part('b')}${part('c')}`.slice(0, 24 - end.length) + end;
}

function systemAttributes(type: string, index: number, random: Random): object {
  const created = LAST_DAY - random.integer(30, 4000) * DAY + random.integer(0, 86_399) * 1000;
  return {
    id: index + 1,
    documentId: documentId(type, index),
    createdAt: iso(created),
    updatedAt: iso(created + random.integer(1, 700) * HOUR),
    publishedAt: iso(created),
  };
}
