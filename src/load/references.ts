import { SnapshotError } from '../base/errors.ts';
import { type Problems, preview } from '../base/problems.ts';
import type { StoreBuilder } from '../build/store-builder.ts';
import { type EntryType, isPolymorphic, type LinkAttribute } from '../model/schema.ts';
import { GrowableNumbers } from '../sets/growable-buffers.ts';
import type { RowHandle } from './entry-writer.ts';

/** What entries have in common, but for their documents: it decides which rows of a document a reference means. */
export interface Version {
  readonly type: EntryType;
  readonly published: boolean;
  readonly locale: string | null;
  /** Where the entries stand, and what is written behind a documentId to tell this version from others. */
  readonly place: string;
  readonly label: string;
}

/** The most entries that a Map can have. */
const mostDocuments = 2 ** 24;

/** The documents of one type, numbered as they are first named, whether by their own entries or by a reference. */
class Documents {
  readonly type: EntryType;
  readonly names: string[] = [];
  /** The first entry of each document, counted from 1; 0 if there is none. */
  readonly first = new GrowableNumbers();
  readonly #numbers = new Map<string, number>();

  constructor(type: EntryType) {
    this.type = type;
  }

  number(documentId: string): number {
    let number = this.#numbers.get(documentId);
    if (number === undefined) {
      if (this.names.length === mostDocuments) {
        throw new SnapshotError([`${this.type.uid} has more than ${mostDocuments} documents`]);
      }
      number = this.names.push(documentId) - 1;
      this.first.push(0);
      this.#numbers.set(documentId, number);
    }
    return number;
  }
}

/** The entries in the order in which they come, side by side: a million of them are no million objects. */
class Entries {
  /** Which of the versions, and which document of its type. */
  readonly versions = new GrowableNumbers();
  readonly documents = new GrowableNumbers();
  readonly arrivals = new GrowableNumbers();
  /** The next entry of the same document, counted from 1; 0 if there is none. */
  readonly next = new GrowableNumbers();
}

/** The references that stand in one attribute. */
interface Group {
  readonly uid: string;
  readonly attribute: LinkAttribute;
  readonly sources: GrowableNumbers;
  /** The entry that a reference stands in, which component inside it, and which item of the attribute. */
  readonly entries: GrowableNumbers;
  readonly paths: GrowableNumbers;
  readonly positions: GrowableNumbers;
  /** Which of the types with documents, and which document of it. */
  readonly types: GrowableNumbers;
  readonly documents: GrowableNumbers;
}

/**
 * Collects the documents of a JSON snapshot and the references between them; connect() resolves them when all
 * documents are known. A document stands for its row of the same status and locale as the entry that refers to it;
 * where only one side has drafts or locales, for both statuses or for the default locale.
 */
export class References {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #versions: Version[] = [];
  readonly #types: Documents[] = [];
  readonly #typeNumbers = new Map<EntryType, number>();
  readonly #entries = new Entries();
  readonly #groups = new Map<LinkAttribute, Group>();
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();
  readonly #excused = new Set<EntryType>();
  /** Types without entries: how many references lead to them, and the first, in words. */
  readonly #missing = new Map<EntryType, { place: string; count: number; first: string }>();

  constructor(builder: StoreBuilder, problems: Problems) {
    this.#builder = builder;
    this.#problems = problems;
  }

  /**
   * Notes an entry, the next row of its type: the references that follow stand in it. A second one of the same
   * document, status and locale is a problem.
   */
  addEntry(version: Version, documentId: string, place: string): void {
    const { versions, documents, arrivals, next } = this.#entries;
    const ofType = this.#types[this.#typeNumber(version.type)];
    const document = ofType.number(documentId);
    const entry = versions.length + 1;
    let last = 0;
    let isTaken = false;
    for (let other = ofType.first.at(document); other > 0; other = next.at(other - 1)) {
      const { published, locale } = this.#versions[versions.at(other - 1)];
      if (published === version.published && locale === version.locale) {
        const what = `a second entry of document ${preview(documentId)} with the same status and locale`;
        this.#problems.add(place, what);
        isTaken = true;
        break;
      }
      last = other;
    }
    // a chain of equal versions would be walked by each entry that follows
    if (last === 0 && !isTaken) ofType.first.set(document, entry);
    else if (!isTaken) next.set(last - 1, entry);
    versions.push(this.#versionNumber(version));
    documents.push(document);
    arrivals.push(this.#builder.rows(version.type.uid).length);
    next.push(0);
  }

  /** Takes the value of a relation or media attribute of the entry that was added last. */
  add(row: RowHandle, attribute: LinkAttribute, value: unknown, place: string, path: string): void {
    if (attribute.many !== Array.isArray(value)) {
      const what = `expected ${attribute.many ? 'a list of' : 'one'} documentId, not ${preview(value)}`;
      this.#problems.add(`${place}${path}, attribute ${attribute.name}`, what);
      return;
    }
    const group = this.#group(row.uid, attribute);
    const entry = this.#entries.versions.length - 1;
    const pathNumber = this.#pathNumber(path);
    const items = attribute.many ? (value as unknown[]) : [value];
    for (let position = 0; position < items.length; position++) {
      const target = this.#target(attribute, items[position]);
      if (typeof target === 'string') {
        this.#problems.add(place + path + itemPlace(attribute, position), target);
        continue;
      }
      const type = this.#typeNumber(target.type);
      group.sources.push(row.arrival);
      group.entries.push(entry);
      group.paths.push(pathNumber);
      group.positions.push(position);
      group.types.push(type);
      group.documents.push(this.#types[type].number(target.documentId));
    }
  }

  /** The entries of a type could not all be read: a reference to one that is missing is no problem of its own. */
  excuse(type: EntryType): void {
    this.#excused.add(type);
  }

  /** There are no entries of a type at all; `place` is where they would stand. */
  expect(type: EntryType, place: string): void {
    this.#missing.set(type, { place, count: 0, first: '' });
  }

  /** Connects everything, and notes references to documents that do not exist. */
  connect(defaultLocale: string): void {
    const { versions, arrivals, next } = this.#entries;
    for (const group of this.#groups.values()) {
      const { uid, attribute, sources, entries, positions, types, documents } = group;
      const links = this.#builder.links(uid, attribute.name);
      for (let i = 0; i < sources.length; i++) {
        const { type, names, first } = this.#types[types.at(i)];
        let row = first.at(documents.at(i));
        if (row === 0 && !this.#excused.has(type)) {
          const what = () => `no ${type.singularName} with documentId ${preview(names[documents.at(i)])}`;
          const missing = this.#missing.get(type);
          // tolerated links are counted one by one, and make one warning anyway
          if (!missing || this.#problems.tolerance === 'tolerant')
            this.#problems.tolerate('dangling-link', this.#placeOf(group, i), what);
          else if (missing.count++ === 0) missing.first = `${this.#placeOf(group, i)}: ${what()}`;
        }
        const from = this.#versions[versions.at(entries.at(i))];
        const number = this.#builder.numberOf(type.uid);
        for (; row > 0; row = next.at(row - 1)) {
          if (isMeant(from, this.#versions[versions.at(row - 1)], defaultLocale)) {
            links.add(sources.at(i), number, arrivals.at(row - 1), positions.at(i), 0);
          }
        }
      }
    }
    for (const { place, count, first } of this.#missing.values()) {
      if (count === 0) continue;
      const references = count === 1 ? 'a relation leads' : `${count} relations lead`;
      this.#problems.tolerate(
        'dangling-link',
        place,
        `there are no entries, but ${references} to them; the first: ${first}`,
      );
    }
  }

  /** What a reference leads to, or in words what is wrong with it. */
  #target(attribute: LinkAttribute, item: unknown): { type: EntryType; documentId: string } | string {
    const { schema } = this.#builder;
    if (!isPolymorphic(attribute)) {
      if (typeof item === 'string') return { type: schema.type(attribute.target), documentId: item };
      return `expected a documentId, not ${preview(item)}`;
    }
    const { __type: uid, documentId } = (item ?? {}) as { __type?: unknown; documentId?: unknown };
    const type = typeof uid === 'string' ? schema.types.get(uid) : undefined;
    if (type && type.kind !== 'component' && typeof documentId === 'string') return { type, documentId };
    return `expected {"__type": a content type's uid, "documentId"}, not ${preview(item)}`;
  }

  #placeOf({ attribute, entries, paths, positions }: Group, i: number): string {
    const { type, place, label } = this.#versions[this.#entries.versions.at(entries.at(i))];
    const { names } = this.#types[this.#typeNumber(type)];
    const documentId = names[this.#entries.documents.at(entries.at(i))];
    const path = this.#paths[paths.at(i)] + itemPlace(attribute, positions.at(i));
    return `${place}, entry ${documentId}${label}${path}`;
  }

  #typeNumber(type: EntryType): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#types.push(new Documents(type)) - 1;
      this.#typeNumbers.set(type, number);
    }
    return number;
  }

  /** Few versions differ, and most entries come in the version of one that came lately. */
  #versionNumber(version: Version): number {
    const { type, published, locale, label } = version;
    const isSame = (other: Version) =>
      other.type === type && other.published === published && other.locale === locale && other.label === label;
    const number = this.#versions.findLastIndex(isSame);
    return number < 0 ? this.#versions.push(version) - 1 : number;
  }

  #pathNumber(path: string): number {
    let number = this.#pathNumbers.get(path);
    if (number === undefined) {
      number = this.#paths.push(path) - 1;
      this.#pathNumbers.set(path, number);
    }
    return number;
  }

  #group(uid: string, attribute: LinkAttribute): Group {
    let group = this.#groups.get(attribute);
    if (!group) {
      const numbers = () => new GrowableNumbers();
      group = {
        uid,
        attribute,
        sources: numbers(),
        entries: numbers(),
        paths: numbers(),
        positions: numbers(),
        types: numbers(),
        documents: numbers(),
      };
      this.#groups.set(attribute, group);
    }
    return group;
  }
}

function itemPlace({ name, many }: LinkAttribute, position: number): string {
  return many ? `, attribute ${name}[${position}]` : `, attribute ${name}`;
}

/** Whether a reference from one version means a row of another. */
function isMeant(from: Version, to: Version, defaultLocale: string): boolean {
  const locale = from.type.localized ? from.locale : defaultLocale;
  return (
    (!to.type.draftAndPublish || !from.type.draftAndPublish || to.published === from.published) &&
    (!to.type.localized || to.locale === locale)
  );
}
