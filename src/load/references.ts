import { SnapshotError } from '../base/errors.ts';
import { type Problems, preview } from '../base/problems.ts';
import type { StoreBuilder } from '../build/store-builder.ts';
import { type EntryType, isPolymorphic, type LinkAttribute } from '../model/schema.ts';
import { GrowableNumbers } from '../sets/growable-buffers.ts';
import type { RowHandle } from './entry-writer.ts';

/** Type, status and locale of an entry. They determine which rows of a document a reference targets. */
export interface Version {
  readonly type: EntryType;
  readonly published: boolean;
  readonly locale: string | null;
  /** For messages: the file of the entries, and a suffix to the documentId such as ` (en, draft)`. */
  readonly location: string;
  readonly label: string;
}

/** Maximum size of a Map. */
const maxDocuments = 2 ** 24;

/** The documents of one type, numbered in the order in which entries or references first name them. */
class DocumentTable {
  readonly type: EntryType;
  readonly names: string[] = [];
  /** First entry of each document, counted from 1, or 0. EntryTable of a document form a linked list. */
  readonly first = new GrowableNumbers();
  readonly #numbers = new Map<string, number>();

  constructor(type: EntryType) {
    this.type = type;
  }

  number(documentId: string): number {
    let number = this.#numbers.get(documentId);
    if (number === undefined) {
      if (this.names.length === maxDocuments) {
        throw new SnapshotError([`${this.type.uid} has more than ${maxDocuments} documents`]);
      }
      number = this.names.push(documentId) - 1;
      this.first.push(0);
      this.#numbers.set(documentId, number);
    }
    return number;
  }
}

/** All entries in load order, as parallel arrays to avoid one object per entry. */
class EntryTable {
  /** Index of the version, and number of the document within its type. */
  readonly versions = new GrowableNumbers();
  readonly documents = new GrowableNumbers();
  readonly ordinals = new GrowableNumbers();
  /** Next entry of the same document, counted from 1, or 0. */
  readonly next = new GrowableNumbers();
}

/** The references of one attribute, as parallel arrays. */
interface ReferenceGroup {
  readonly uid: string;
  readonly attribute: LinkAttribute;
  readonly sources: GrowableNumbers;
  /** Location of a reference: entry, path of the component in it, and position in the attribute. */
  readonly entries: GrowableNumbers;
  readonly paths: GrowableNumbers;
  readonly positions: GrowableNumbers;
  /** Target of a reference: type number and document number. */
  readonly types: GrowableNumbers;
  readonly documents: GrowableNumbers;
}

/**
 * Collects the documents of a JSON snapshot and the references between them. `connect` resolves the references after all
 * documents are known. A reference targets the row with the status and locale of the referring entry. If only one side
 * has drafts, it targets both statuses. If only the target has locales, it targets the default locale.
 */
export class References {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #versions: Version[] = [];
  readonly #types: DocumentTable[] = [];
  readonly #typeNumbers = new Map<EntryType, number>();
  readonly #entries = new EntryTable();
  readonly #groups = new Map<LinkAttribute, ReferenceGroup>();
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();
  readonly #incomplete = new Set<EntryType>();
  /** Types without entries, with the number of references to them and a description of the first. */
  readonly #missing = new Map<EntryType, { location: string; count: number; first: string }>();

  constructor(builder: StoreBuilder, problems: Problems) {
    this.#builder = builder;
    this.#problems = problems;
  }

  /**
   * Adds an entry, the next row of its type. The following calls of `add` belong to it. Reports a second entry with the
   * same document, status and locale.
   */
  addEntry(version: Version, documentId: string, location: string): void {
    const { versions, documents, ordinals, next } = this.#entries;
    const ofType = this.#types[this.#typeNumber(version.type)];
    const document = ofType.number(documentId);
    const entry = versions.length + 1;
    let last = 0;
    let isDuplicate = false;
    for (let other = ofType.first.at(document); other > 0; other = next.at(other - 1)) {
      const { published, locale } = this.#versions[versions.at(other - 1)];
      if (published === version.published && locale === version.locale) {
        const message = `a second entry of document ${preview(documentId)} with the same status and locale`;
        this.#problems.add(location, message);
        isDuplicate = true;
        break;
      }
      last = other;
    }
    // leave duplicates out of the list, to keep it short
    if (last === 0 && !isDuplicate) ofType.first.set(document, entry);
    else if (!isDuplicate) next.set(last - 1, entry);
    versions.push(this.#versionNumber(version));
    documents.push(document);
    ordinals.push(this.#builder.rows(version.type.uid).length);
    next.push(0);
  }

  /** Adds the references in a relation or media attribute of the last entry. */
  add(row: RowHandle, attribute: LinkAttribute, value: unknown, location: string, path: string): void {
    if (attribute.many !== Array.isArray(value)) {
      const message = `expected ${attribute.many ? 'a list of' : 'one'} documentId, not ${preview(value)}`;
      this.#problems.add(`${location}${path}, attribute ${attribute.name}`, message);
      return;
    }
    const group = this.#group(row.uid, attribute);
    const entry = this.#entries.versions.length - 1;
    const pathNumber = this.#pathNumber(path);
    const items = attribute.many ? (value as unknown[]) : [value];
    for (let position = 0; position < items.length; position++) {
      const target = this.#target(attribute, items[position]);
      if (typeof target === 'string') {
        this.#problems.add(location + path + itemLocation(attribute, position), target);
        continue;
      }
      const type = this.#typeNumber(target.type);
      group.sources.push(row.ordinal);
      group.entries.push(entry);
      group.paths.push(pathNumber);
      group.positions.push(position);
      group.types.push(type);
      group.documents.push(this.#types[type].number(target.documentId));
    }
  }

  /** Suppresses reports of dangling references to a type whose entries could not all be read. */
  suppressMissing(type: EntryType): void {
    this.#incomplete.add(type);
  }

  /** Notes a type without any entries. Its dangling references are reported as one problem at `location`. */
  addEmptyType(type: EntryType, location: string): void {
    this.#missing.set(type, { location, count: 0, first: '' });
  }

  /** Adds the links of all references, and reports references to unknown documents. */
  connect(defaultLocale: string): void {
    const { versions, ordinals, next } = this.#entries;
    for (const group of this.#groups.values()) {
      const { uid, attribute, sources, entries, positions, types, documents } = group;
      const links = this.#builder.links(uid, attribute.name);
      for (let i = 0; i < sources.length; i++) {
        const { type, names, first } = this.#types[types.at(i)];
        let row = first.at(documents.at(i));
        if (row === 0 && !this.#incomplete.has(type)) {
          const message = () => `no ${type.singularName} with documentId ${preview(names[documents.at(i)])}`;
          const missing = this.#missing.get(type);
          // a tolerant load counts each link, and merges them into one warning anyway
          if (!missing || this.#problems.tolerance === 'tolerant')
            this.#problems.tolerate('dangling-link', this.#locationOf(group, i), message);
          else if (missing.count++ === 0) missing.first = `${this.#locationOf(group, i)}: ${message()}`;
        }
        const from = this.#versions[versions.at(entries.at(i))];
        const number = this.#builder.numberOf(type.uid);
        for (; row > 0; row = next.at(row - 1)) {
          if (matchesVersion(from, this.#versions[versions.at(row - 1)], defaultLocale)) {
            links.add(sources.at(i), number, ordinals.at(row - 1), positions.at(i), 0);
          }
        }
      }
    }
    for (const { location, count, first } of this.#missing.values()) {
      if (count === 0) continue;
      const references = count === 1 ? '1 relation links' : `${count} relations link`;
      this.#problems.tolerate(
        'dangling-link',
        location,
        `the type has no entries, but ${references} to it; the first: ${first}`,
      );
    }
  }

  /** Returns the target of a reference, or an error message. */
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

  #locationOf({ attribute, entries, paths, positions }: ReferenceGroup, i: number): string {
    const { type, location, label } = this.#versions[this.#entries.versions.at(entries.at(i))];
    const { names } = this.#types[this.#typeNumber(type)];
    const documentId = names[this.#entries.documents.at(entries.at(i))];
    const path = this.#paths[paths.at(i)] + itemLocation(attribute, positions.at(i));
    return `${location}, entry ${documentId}${label}${path}`;
  }

  #typeNumber(type: EntryType): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#types.push(new DocumentTable(type)) - 1;
      this.#typeNumbers.set(type, number);
    }
    return number;
  }

  /** Returns the index of a version. Searches from the end, because most entries share a recent version. */
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

  #group(uid: string, attribute: LinkAttribute): ReferenceGroup {
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

function itemLocation({ name, many }: LinkAttribute, position: number): string {
  return many ? `, attribute ${name}[${position}]` : `, attribute ${name}`;
}

/** Whether a reference in one version targets a row of another version. */
function matchesVersion(from: Version, to: Version, defaultLocale: string): boolean {
  const locale = from.type.localized ? from.locale : defaultLocale;
  return (
    (!to.type.draftAndPublish || !from.type.draftAndPublish || to.published === from.published) &&
    (!to.type.localized || to.locale === locale)
  );
}
