import { GrowableDoubles, GrowableNumbers } from '../../core/memory/growable-buffers.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { type EntryType, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import type { StoreBuilder } from '../../store/writer/store-builder.ts';
import type { RowHandle } from '../entry-writer.ts';
import { EntryTable, type Version } from './entry-table.ts';

/** The references of one attribute, as parallel arrays: 28 bytes a reference. */
interface ReferenceGroup<Numbers = GrowableNumbers> {
  readonly uid: string;
  readonly attribute: LinkAttribute;
  readonly sources: Numbers;
  /** Location of a reference: entry, path of the component in it, and position in the attribute. */
  readonly entries: Numbers;
  readonly paths: Numbers;
  readonly positions: Numbers;
  /** Target of a reference: type number and document number. */
  readonly types: Numbers;
  readonly documents: Numbers;
  /** Number in `LinkDetails`, or 0. */
  readonly details: Numbers;
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
  readonly #details = new LinkDetails();
  readonly #allowsSeveral: boolean;
  readonly #leavesOut: (type: EntryType) => boolean;

  /**
   * With `allowsSeveral`, as in the database of a Strapi, several entries of a document may have the same version, and an
   * attribute of one reference may have several. References to types that are left out make no links.
   */
  constructor(
    builder: StoreBuilder,
    problems: Problems,
    allowsSeveral = false,
    leavesOut: (type: EntryType) => boolean = () => false,
  ) {
    this.#builder = builder;
    this.#problems = problems;
    this.#allowsSeveral = allowsSeveral;
    this.#leavesOut = leavesOut;
  }

  /**
   * Adds an entry, the next row of its type. The following calls of `add` belong to it. Reports a second entry with the
   * same document, status and locale.
   */
  addEntry(version: Version, documentId: string, location: string): void {
    if (this.#entries.add(version, documentId, this.#builder.rows(version.type.uid).length)) return;
    if (this.#allowsSeveral) return;
    const message = `a second entry of document ${preview(documentId)} with the same status and locale`;
    this.#problems.add(location, message);
  }

  /** Adds the references in a relation or media attribute of the last entry. */
  add(row: RowHandle, attribute: LinkAttribute, value: unknown, location: string, path: string): void {
    const group = this.#group(row.uid, attribute);
    const pathNumber = this.#pathNumber(path);
    const { schema } = this.#builder;
    const take = (position: number, target: SnapshotReference) => {
      if (this.#leavesOut(target.type)) return;
      const type = this.#entries.typeNumber(target.type);
      group.sources.push(row.ordinal);
      group.entries.push(this.#entries.last);
      group.paths.push(pathNumber);
      group.positions.push(position);
      group.types.push(type);
      group.documents.push(this.#entries.documentNumber(type, target.documentId));
      group.details.push(this.#details.add(target));
    };
    const isList = this.#allowsSeveral && !attribute.many && Array.isArray(value) && value.length > 0;
    const read = isList ? { ...attribute, many: true } : attribute;
    readReferences(schema, read, value, location + path, this.#problems, take, readSnapshotReference);
  }

  /** Suppresses reports of dangling references to a type whose entries could not all be read. */
  suppressMissing(type: EntryType): void {
    this.#incomplete.add(type);
  }

  /** Notes a type without any entries. Its dangling references are reported as one problem at `location`. */
  addEmptyType(type: EntryType, location: string): void {
    this.#empty.set(type, { location, count: 0, first: '' });
  }

  /** Adds the links of all references, and reports references to unknown documents. Call it once. */
  connect(defaultLocale: string): void {
    for (const group of this.#groups.values()) this.#connectGroup(finished(group), defaultLocale);
    this.#reportEmptyTypes();
  }

  /** A method of its own, as V8 would compile a loop over the groups anew for each group. */
  #connectGroup(group: ReferenceGroup<Uint32Array>, defaultLocale: string): void {
    const table = this.#entries;
    const { uid, attribute, sources, entries, positions, types, documents, details } = group;
    const links = this.#builder.links(uid, attribute.name);
    for (let i = 0; i < sources.length; i++) {
      const target = table.type(types[i]).uid;
      const number = this.#builder.numberOf(target);
      const { id, position = positions[i], inversePosition = 0, inverse } = this.#details.at(details[i]);
      if (id !== undefined) {
        const ordinal = this.#builder.rows(target).ordinalOf(id);
        if (ordinal === undefined) this.#noteMissing(group, i);
        else links.add(sources[i], number, ordinal, position, inversePosition, inverse);
        continue;
      }
      const first = table.first(types[i], documents[i]);
      if (first === 0) this.#noteMissing(group, i);
      const from = table.versionOf(entries[i]);
      for (let entry = first; entry > 0; entry = table.next(entry)) {
        if (!matchesVersion(from, table.versionOf(entry), defaultLocale)) continue;
        links.add(sources[i], number, table.ordinalOf(entry), position, inversePosition, inverse);
      }
    }
  }

  /** Reports a reference to an unknown document, or counts it if its type has no entries. */
  #noteMissing(group: ReferenceGroup<Uint32Array>, i: number): void {
    const { types, documents, details } = group;
    const type = this.#entries.type(types[i]);
    if (this.#incomplete.has(type)) return;
    const documentId = this.#entries.documentId(types[i], documents[i]);
    const { id } = this.#details.at(details[i]);
    const message = () =>
      id === undefined ? describeMissing({ type, documentId }) : `no ${type.singularName} with id ${id}`;
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

  #locationOf({ attribute, entries, paths, positions }: ReferenceGroup<Uint32Array>, i: number): string {
    const path = this.#paths[paths[i]] + itemLocation(attribute, positions[i]);
    return this.#entries.locationOf(entries[i]) + path;
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
        details: numbers(),
      };
      this.#groups.set(attribute, group);
    }
    return group;
  }
}

/** Returns a group as arrays of fixed size, which are read faster. The given one is empty then. */
function finished(group: ReferenceGroup): ReferenceGroup<Uint32Array> {
  return {
    uid: group.uid,
    attribute: group.attribute,
    sources: group.sources.take(),
    entries: group.entries.take(),
    paths: group.paths.take(),
    positions: group.positions.take(),
    types: group.types.take(),
    documents: group.documents.take(),
    details: group.details.take(),
  };
}

/** What a reference says of its link besides the document. */
interface LinkDetail {
  /** The id of the target, in place of the entries that the document stands for. */
  readonly id?: number;
  /** Default: the position of the reference. */
  readonly position?: number;
  /** The position among the entries that refer to the target. Default: 0, which leaves them in the order of ids. */
  readonly inversePosition?: number;
  /** As in `LinkTarget` of a batch. */
  readonly inverse?: string;
}

const noDetail: LinkDetail = {};

/** The numbers of a detail, of which some are missing (NaN). */
const detailNumbers = 3;

/** Details of links by number, from 1. They take 24 bytes each. */
class LinkDetails {
  readonly #numbers = new GrowableDoubles();
  readonly #inverses = new Map<number, string>();

  /** Returns the number of a detail, or 0 if it says nothing. */
  add({ id, position, inversePosition, inverse }: LinkDetail): number {
    if ((id ?? position ?? inversePosition ?? inverse) === undefined) return 0;
    for (const number of [id, position, inversePosition]) this.#numbers.push(number ?? Number.NaN);
    const last = this.#numbers.length / detailNumbers;
    if (inverse !== undefined) this.#inverses.set(last, inverse);
    return last;
  }

  at(number: number): LinkDetail {
    if (number === 0) return noDetail;
    const [id, position, inversePosition] = Array.from({ length: detailNumbers }, (_, i) => {
      const value = this.#numbers.at((number - 1) * detailNumbers + i);
      return Number.isNaN(value) ? undefined : value;
    });
    return { id, position, inversePosition, inverse: this.#inverses.get(number) };
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

/** A reference of a JSON snapshot: a document, or an object that says more of the link. */
interface SnapshotReference extends ReferenceTarget, LinkDetail {}

const detailKeys: ReadonlySet<string> = new Set([
  '__type',
  'documentId',
  'id',
  'position',
  'inversePosition',
  'inverse',
]);

/** Returns a reference of a JSON snapshot, or an error message. */
function readSnapshotReference(schema: Schema, attribute: LinkAttribute, item: unknown): SnapshotReference | string {
  const isDetailed = isPlainObject(item) && !(isPolymorphic(attribute) && namesOnlyDocument(item));
  return isDetailed ? readDetailedReference(schema, attribute, item) : readReference(schema, attribute, item);
}

/** Whether an item of a polymorphic attribute says nothing of its link besides the document, as most do. */
function namesOnlyDocument(item: Record<string, unknown>): boolean {
  for (const key in item) if (key !== '__type' && key !== 'documentId') return false;
  return true;
}

function readDetailedReference(
  schema: Schema,
  attribute: LinkAttribute,
  item: Record<string, unknown>,
): SnapshotReference | string {
  const { id, position, inversePosition, inverse, documentId } = item;
  const named = { __type: item.__type, documentId: documentId ?? (id === undefined ? undefined : '') };
  const target = readReference(schema, attribute, isPolymorphic(attribute) ? named : named.documentId);
  if (typeof target === 'string') return target;
  const unknown = Object.keys(item).find((key) => !detailKeys.has(key));
  if (unknown !== undefined) return `unknown key ${preview(unknown)} of a reference`;
  if (id !== undefined && !(Number.isSafeInteger(id) && (id as number) > 0)) {
    return `"id" must be a positive integer, not ${preview(id)}`;
  }
  for (const [name, number] of Object.entries({ position, inversePosition })) {
    if (number !== undefined && !Number.isFinite(number)) return `"${name}" must be a number, not ${preview(number)}`;
  }
  if (inverse !== undefined && typeof inverse !== 'string') return `"inverse" must be a text, not ${preview(inverse)}`;
  return { ...target, id, position, inversePosition, inverse } as SnapshotReference;
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
