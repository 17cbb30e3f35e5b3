import { GrowableNumbers } from '../../core/memory/growable-buffers.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { type EntryType, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import type { StoreBuilder } from '../../store/writer/store-builder.ts';
import type { RowHandle } from '../entry-writer.ts';
import { EntryTable, type Version } from './entry-table.ts';

/** The references of one attribute, as parallel arrays: 24 bytes a reference. */
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
 * Collects the documents of a JSON snapshot and the references between them. `connect` resolves the references after
 * all documents are known. A reference targets the row with the status and locale of the referring entry. If only one
 * side has drafts, it targets both statuses. If only the target has locales, it targets the default locale.
 */
export class References {
  readonly #builder: StoreBuilder;
  readonly #problems: Problems;
  readonly #entries = new EntryTable();
  readonly #groups = new Map<LinkAttribute, ReferenceGroup>();
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();
  readonly #incomplete = new Set<EntryType>();
  /** Types without entries, with the number of references to them and a description of the first. */
  readonly #empty = new Map<EntryType, { location: string; count: number; first: string }>();

  constructor(builder: StoreBuilder, problems: Problems) {
    this.#builder = builder;
    this.#problems = problems;
  }

  /**
   * Adds an entry, the next row of its type. The following calls of `add` belong to it. Reports a second entry with the
   * same document, status and locale.
   */
  addEntry(version: Version, documentId: string, location: string): void {
    if (this.#entries.add(version, documentId, this.#builder.rows(version.type.uid).length)) return;
    const message = `a second entry of document ${preview(documentId)} with the same status and locale`;
    this.#problems.add(location, message);
  }

  /** Adds the references in a relation or media attribute of the last entry. */
  add(row: RowHandle, attribute: LinkAttribute, value: unknown, location: string, path: string): void {
    const group = this.#group(row.uid, attribute);
    const pathNumber = this.#pathNumber(path);
    const { schema } = this.#builder;
    readReferences(schema, attribute, value, location + path, this.#problems, (position, target) => {
      const type = this.#entries.typeNumber(target.type);
      group.sources.push(row.ordinal);
      group.entries.push(this.#entries.last);
      group.paths.push(pathNumber);
      group.positions.push(position);
      group.types.push(type);
      group.documents.push(this.#entries.documentNumber(type, target.documentId));
    });
  }

  /** Suppresses reports of dangling references to a type whose entries could not all be read. */
  suppressMissing(type: EntryType): void {
    this.#incomplete.add(type);
  }

  /** Notes a type without any entries. Its dangling references are reported as one problem at `location`. */
  addEmptyType(type: EntryType, location: string): void {
    this.#empty.set(type, { location, count: 0, first: '' });
  }

  /** Adds the links of all references, and reports references to unknown documents. */
  connect(defaultLocale: string): void {
    const table = this.#entries;
    for (const group of this.#groups.values()) {
      const { uid, attribute, sources, entries, positions, types, documents } = group;
      const links = this.#builder.links(uid, attribute.name);
      for (let i = 0; i < sources.length; i++) {
        const from = table.versionOf(entries.at(i));
        const number = this.#builder.numberOf(table.type(types.at(i)).uid);
        const first = table.first(types.at(i), documents.at(i));
        if (first === 0) this.#noteMissing(group, i);
        for (let entry = first; entry > 0; entry = table.next(entry)) {
          if (!matchesVersion(from, table.versionOf(entry), defaultLocale)) continue;
          links.add(sources.at(i), number, table.ordinalOf(entry), positions.at(i), 0);
        }
      }
    }
    this.#reportEmptyTypes();
  }

  /** Reports a reference to an unknown document, or counts it if its type has no entries. */
  #noteMissing(group: ReferenceGroup, i: number): void {
    const { types, documents } = group;
    const type = this.#entries.type(types.at(i));
    if (this.#incomplete.has(type)) return;
    const documentId = this.#entries.documentId(types.at(i), documents.at(i));
    const message = () => describeMissing({ type, documentId });
    const empty = this.#empty.get(type);
    // a tolerant load counts each link, and merges them into one warning anyway
    if (!empty || this.#problems.tolerance === 'tolerant') {
      this.#problems.tolerate('dangling-link', this.#locationOf(group, i), message);
    } else if (empty.count++ === 0) empty.first = `${this.#locationOf(group, i)}: ${message()}`;
  }

  #reportEmptyTypes(): void {
    for (const { location, count, first } of this.#empty.values()) {
      if (count === 0) continue;
      const references = count === 1 ? '1 relation links' : `${count} relations link`;
      const message = `the type has no entries, but ${references} to it; the first: ${first}`;
      this.#problems.tolerate('dangling-link', location, message);
    }
  }

  #locationOf({ attribute, entries, paths, positions }: ReferenceGroup, i: number): string {
    const path = this.#paths[paths.at(i)] + itemLocation(attribute, positions.at(i));
    return this.#entries.locationOf(entries.at(i)) + path;
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

/** A document that a reference names. It need not exist. */
export interface ReferenceTarget {
  readonly type: EntryType;
  readonly documentId: string;
}

/**
 * Passes the references in a relation or media attribute to `take`, and reports wrong ones. `location` is their row. `read`
 * returns the target of a reference, or an error message.
 */
export function readReferences<Target = ReferenceTarget>(
  schema: Schema,
  attribute: LinkAttribute,
  value: unknown,
  location: string,
  problems: Problems,
  take: (position: number, target: Target) => void,
  read: (schema: Schema, attribute: LinkAttribute, item: unknown) => Target | string = readReference as never,
): void {
  if (attribute.many !== Array.isArray(value)) {
    const message = `expected ${attribute.many ? 'a list of' : 'one'} documentId, not ${preview(value)}`;
    return problems.add(`${location}, attribute ${attribute.name}`, message);
  }
  const items = attribute.many ? (value as unknown[]) : [value];
  for (let position = 0; position < items.length; position++) {
    const target = read(schema, attribute, items[position]);
    if (typeof target === 'string') problems.add(location + itemLocation(attribute, position), target);
    else take(position, target as Target);
  }
}

/** Returns the target of a reference, or an error message. */
export function readReference(schema: Schema, attribute: LinkAttribute, item: unknown): ReferenceTarget | string {
  if (!isPolymorphic(attribute)) {
    if (typeof item === 'string') return { type: schema.type(attribute.target), documentId: item };
    return `expected a documentId, not ${preview(item)}`;
  }
  const { __type: uid, documentId } = (item ?? {}) as { __type?: unknown; documentId?: unknown };
  const type = typeof uid === 'string' ? schema.types.get(uid) : undefined;
  if (type && type.kind !== 'component' && typeof documentId === 'string') return { type, documentId };
  return `expected {"__type": a content type's uid, "documentId"}, not ${preview(item)}`;
}

/** Returns the message for a reference to a document that does not exist. */
export function describeMissing({ type, documentId }: ReferenceTarget): string {
  return `no ${type.singularName} with documentId ${preview(documentId)}`;
}

/** Returns the suffix to a location for an item of an attribute. */
export function itemLocation({ name, many }: LinkAttribute, position: number): string {
  return many ? `, attribute ${name}[${position}]` : `, attribute ${name}`;
}

/** Whether a reference in one version targets a row of another version. */
export function matchesVersion(
  from: Pick<Version, 'type' | 'published' | 'locale'>,
  to: Pick<Version, 'type' | 'published' | 'locale'>,
  defaultLocale: string,
): boolean {
  const locale = from.type.localized ? from.locale : defaultLocale;
  return (
    (!to.type.draftAndPublish || !from.type.draftAndPublish || to.published === from.published) &&
    (!to.type.localized || to.locale === locale)
  );
}
