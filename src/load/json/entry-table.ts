import { SnapshotError } from '../../core/errors.ts';
import { GrowableNumbers } from '../../core/memory/growable-buffers.ts';
import type { EntryType } from '../../model/schema/schema.ts';

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
  readonly documentIds: string[] = [];
  /** The first entry of each document, or 0. */
  readonly first = new GrowableNumbers();
  readonly #numbers = new Map<string, number>();

  constructor(type: EntryType) {
    this.type = type;
  }

  number(documentId: string): number {
    let number = this.#numbers.get(documentId);
    if (number === undefined) {
      if (this.documentIds.length === maxDocuments) {
        throw new SnapshotError([`${this.type.uid} has more than ${maxDocuments} documents`]);
      }
      number = this.documentIds.push(documentId) - 1;
      this.first.push(0);
      this.#numbers.set(documentId, number);
    }
    return number;
  }
}

/**
 * The entries of a JSON snapshot and their documents. Types, documents and entries are numbers, so that an entry takes
 * 16 bytes besides its documentId. Entries are numbered from 1 in load order; 0 is none.
 */
export class EntryTable {
  readonly #types: DocumentTable[] = [];
  readonly #typeNumbers = new Map<EntryType, number>();
  readonly #versions: Version[] = [];
  /** By entry: index of its version, number of its document, and load ordinal of its row. */
  readonly #versionOf = new GrowableNumbers();
  readonly #documentOf = new GrowableNumbers();
  readonly #ordinalOf = new GrowableNumbers();
  /** Next entry of the same document, or 0. The entries of a document form a linked list. */
  readonly #next = new GrowableNumbers();

  constructor() {
    for (const numbers of [this.#versionOf, this.#documentOf, this.#ordinalOf, this.#next]) numbers.push(0);
  }

  /** The last entry. */
  get last(): number {
    return this.#versionOf.length - 1;
  }

  /** Adds an entry. Returns false if another entry of the document has the same status and locale. */
  add(version: Version, documentId: string, ordinal: number): boolean {
    const documents = this.#types[this.typeNumber(version.type)];
    const { first } = documents;
    const number = documents.number(documentId);
    const entry = this.#versionOf.length;
    let last = 0;
    let isNew = true;
    for (let other = first.at(number); isNew && other > 0; other = this.next(other)) {
      const { published, locale } = this.versionOf(other);
      isNew = published !== version.published || locale !== version.locale;
      last = other;
    }
    // leave duplicates out of the list, to keep it short
    if (isNew && last === 0) first.set(number, entry);
    else if (isNew) this.#next.set(last, entry);
    this.#versionOf.push(this.#versionNumber(version));
    this.#documentOf.push(number);
    this.#ordinalOf.push(ordinal);
    this.#next.push(0);
    return isNew;
  }

  typeNumber(type: EntryType): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#types.push(new DocumentTable(type)) - 1;
      this.#typeNumbers.set(type, number);
    }
    return number;
  }

  type(typeNumber: number): EntryType {
    return this.#types[typeNumber].type;
  }

  /** Returns the number of a document, which need not have entries. */
  documentNumber(typeNumber: number, documentId: string): number {
    return this.#types[typeNumber].number(documentId);
  }

  documentId(typeNumber: number, document: number): string {
    return this.#types[typeNumber].documentIds[document];
  }

  /** Returns the first entry of a document, or 0. */
  first(typeNumber: number, document: number): number {
    return this.#types[typeNumber].first.at(document);
  }

  /** Returns the next entry of the same document, or 0. */
  next(entry: number): number {
    return this.#next.at(entry);
  }

  versionOf(entry: number): Version {
    return this.#versions[this.#versionOf.at(entry)];
  }

  /** Returns the load ordinal of the row of an entry. */
  ordinalOf(entry: number): number {
    return this.#ordinalOf.at(entry);
  }

  /** Returns the file, documentId, locale and status of an entry, for messages. */
  locationOf(entry: number): string {
    const { type, location, label } = this.versionOf(entry);
    const documentId = this.documentId(this.typeNumber(type), this.#documentOf.at(entry));
    return `${location}, entry ${documentId}${label}`;
  }

  /** Returns the index of a version. Searches from the end, because most entries share a recent version. */
  #versionNumber(version: Version): number {
    const { type, published, locale, label } = version;
    const isSame = (other: Version) =>
      other.type === type && other.published === published && other.locale === locale && other.label === label;
    const number = this.#versions.findLastIndex(isSame);
    return number < 0 ? this.#versions.push(version) - 1 : number;
  }
}
