import { type Problems, quote } from '../problems.ts';
import { type EntryType, isPolymorphic, type LinkAttribute } from '../schema/schema.ts';
import { GrowableNumbers } from '../store/growable.ts';
import type { StoreBuilder } from '../store/store-builder.ts';
import type { RowHandle } from './entry-writer.ts';

/** The entry that a reference stands in: what decides which rows of a document it means. */
export interface ReferenceContext {
  readonly type: EntryType;
  readonly published: boolean;
  readonly locale: string | null;
}

interface DocumentRow {
  readonly arrival: number;
  readonly published: boolean;
  readonly locale: string | null;
}

/** The documents of one type, numbered as they are first named, whether by their own entries or by a reference. */
class Documents {
  readonly #numbers = new Map<string, number>();
  readonly names: string[] = [];
  readonly rows: DocumentRow[][] = [];

  number(documentId: string): number {
    let number = this.#numbers.get(documentId);
    if (number === undefined) {
      number = this.names.push(documentId) - 1;
      this.rows.push([]);
      this.#numbers.set(documentId, number);
    }
    return number;
  }
}

/** The references that stand in one attribute, side by side: a million of them are no million objects. */
interface Group {
  readonly uid: string;
  readonly attribute: string;
  readonly sources: GrowableNumbers;
  readonly positions: GrowableNumbers;
  /** Which of the contexts. */
  readonly contexts: GrowableNumbers;
  /** Which of the types with documents, and which document of it. */
  readonly types: GrowableNumbers;
  readonly documents: GrowableNumbers;
  readonly places: string[];
}

/**
 * Collects the documents of a JSON snapshot and the references between them; connect() resolves them when all
 * documents are known. A document stands for its row of the same status and locale as the entry that refers to it;
 * where only one side has drafts or locales, for both statuses or for the default locale.
 */
export class References {
  readonly #types: EntryType[] = [];
  readonly #typeNumbers = new Map<string, number>();
  readonly #documents: Documents[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #contexts: ReferenceContext[] = [];
  readonly #excused = new Set<EntryType>();

  /** Notes a document's row; a second one with the same status and locale is a problem. */
  addDocument(type: EntryType, documentId: string, row: DocumentRow, problems: Problems, place: string): void {
    const documents = this.#documents[this.#typeNumber(type)];
    const rows = documents.rows[documents.number(documentId)];
    if (rows.some((other) => other.published === row.published && other.locale === row.locale)) {
      problems.add(place, `a second entry of document ${quote(documentId)} with the same status and locale`);
    } else rows.push(row);
  }

  /** Takes the value of a relation or media attribute. `builder` knows the types; what is malformed is a problem. */
  add(
    builder: StoreBuilder,
    row: RowHandle,
    attribute: LinkAttribute,
    value: unknown,
    context: ReferenceContext,
    problems: Problems,
    place: string,
  ): void {
    if (attribute.many !== Array.isArray(value)) {
      problems.add(place, `expected ${attribute.many ? 'a list of' : 'one'} documentId, not ${quote(value)}`);
      return;
    }
    const items = attribute.many ? (value as unknown[]) : [value];
    for (let position = 0; position < items.length; position++) {
      const at = attribute.many ? `${place}[${position}]` : place;
      const target = this.#target(builder, attribute, items[position], problems, at);
      if (!target) continue;
      const group = this.#group(row.uid, attribute.name);
      const type = this.#typeNumber(target.type);
      group.sources.push(row.arrival);
      group.positions.push(position);
      group.contexts.push(this.#contextNumber(context));
      group.types.push(type);
      group.documents.push(this.#documents[type].number(target.documentId));
      group.places.push(at);
    }
  }

  /** The entries of a type could not all be read: a reference to one that is missing is no problem of its own. */
  excuse(type: EntryType): void {
    this.#excused.add(type);
  }

  /** Connects everything. `dangling` is told of references to documents that do not exist. */
  connect(builder: StoreBuilder, defaultLocale: string, dangling: (place: string, what: string) => void): void {
    for (const { uid, attribute, sources, positions, contexts, types, documents, places } of this.#groups.values()) {
      const links = builder.links(uid, attribute);
      for (let i = 0; i < places.length; i++) {
        const type = this.#types[types.at(i)];
        const known = this.#documents[types.at(i)];
        const rows = known.rows[documents.at(i)];
        if (rows.length === 0 && !this.#excused.has(type)) {
          dangling(places[i], `no ${type.singularName} with documentId ${quote(known.names[documents.at(i)])}`);
        }
        const context = this.#contexts[contexts.at(i)];
        const number = builder.numberOf(type.uid);
        for (const row of rows) {
          if (isMeant(context, type, row, defaultLocale)) {
            links.add(sources.at(i), number, row.arrival, positions.at(i), 0);
          }
        }
      }
    }
  }

  #target(
    builder: StoreBuilder,
    attribute: LinkAttribute,
    item: unknown,
    problems: Problems,
    place: string,
  ): { type: EntryType; documentId: string } | null {
    if (!isPolymorphic(attribute)) {
      if (typeof item === 'string') return { type: builder.schema.type(attribute.target), documentId: item };
      problems.add(place, `expected a documentId, not ${quote(item)}`);
      return null;
    }
    const { __type: uid, documentId } = (item ?? {}) as { __type?: unknown; documentId?: unknown };
    const type = typeof uid === 'string' ? builder.schema.types.get(uid) : undefined;
    if (type && type.kind !== 'component' && typeof documentId === 'string') return { type, documentId };
    problems.add(place, `expected {"__type": a content type's uid, "documentId"}, not ${quote(item)}`);
    return null;
  }

  #typeNumber(type: EntryType): number {
    let number = this.#typeNumbers.get(type.uid);
    if (number === undefined) {
      number = this.#types.push(type) - 1;
      this.#documents.push(new Documents());
      this.#typeNumbers.set(type.uid, number);
    }
    return number;
  }

  /** Few contexts differ: one for each type, status and locale. */
  #contextNumber(context: ReferenceContext): number {
    const isSame = (other: ReferenceContext) =>
      other.type === context.type && other.published === context.published && other.locale === context.locale;
    const number = this.#contexts.findIndex(isSame);
    return number < 0 ? this.#contexts.push(context) - 1 : number;
  }

  #group(uid: string, attribute: string): Group {
    const name = `${uid} ${attribute}`;
    let group = this.#groups.get(name);
    if (!group) {
      const numbers = () => new GrowableNumbers();
      group = {
        uid,
        attribute,
        sources: numbers(),
        positions: numbers(),
        contexts: numbers(),
        types: numbers(),
        documents: numbers(),
        places: [],
      };
      this.#groups.set(name, group);
    }
    return group;
  }
}

function isMeant(context: ReferenceContext, target: EntryType, row: DocumentRow, defaultLocale: string): boolean {
  const locale = context.type.localized ? context.locale : defaultLocale;
  return (
    (!target.draftAndPublish || !context.type.draftAndPublish || row.published === context.published) &&
    (!target.localized || row.locale === locale)
  );
}
