import { type Problems, quote } from '../problems.ts';
import { type EntryType, isPolymorphic, type LinkAttribute } from '../schema/schema.ts';
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

/**
 * Collects the documents of a JSON snapshot and the references between them; connect() resolves them when all
 * documents are known. A document stands for its row of the same status and locale as the entry that refers to it;
 * where only one side has drafts or locales, for both statuses or for the default locale.
 */
export class References {
  readonly #documents = new Map<string, Map<string, DocumentRow[]>>();
  readonly #pending: {
    row: RowHandle;
    attribute: LinkAttribute;
    value: unknown;
    place: string;
    context: ReferenceContext;
  }[] = [];

  /** Notes a document's row; a second one with the same status and locale is a problem. */
  addDocument(type: EntryType, documentId: string, row: DocumentRow, problems: Problems, place: string): void {
    let documents = this.#documents.get(type.uid);
    if (!documents) this.#documents.set(type.uid, (documents = new Map()));
    const rows = documents.get(documentId);
    if (!rows) documents.set(documentId, [row]);
    else if (rows.some((other) => other.published === row.published && other.locale === row.locale)) {
      problems.add(place, `a second entry of document ${quote(documentId)} with the same status and locale`);
    } else rows.push(row);
  }

  add(row: RowHandle, attribute: LinkAttribute, value: unknown, place: string, context: ReferenceContext): void {
    this.#pending.push({ row, attribute, value, place, context });
  }

  /** Connects everything. `dangling` is told of references to documents that do not exist. */
  connect(
    builder: StoreBuilder,
    defaultLocale: string,
    problems: Problems,
    dangling: (place: string, what: string) => void,
  ): void {
    for (const { row, attribute, value, place, context } of this.#pending) {
      if (attribute.many !== Array.isArray(value)) {
        problems.add(place, `expected ${attribute.many ? 'a list of' : 'one'} documentId, not ${quote(value)}`);
        continue;
      }
      (attribute.many ? (value as unknown[]) : [value]).forEach((item, position) => {
        const at = attribute.many ? `${place}[${position}]` : place;
        const found = this.#find(builder, attribute, item, problems, at);
        if (!found) return;
        const rows = this.#documents.get(found.target.uid)?.get(found.documentId);
        if (!rows) dangling(at, `no ${found.target.singularName} with documentId ${quote(found.documentId)}`);
        for (const target of visibleFrom(context, found.target, rows ?? [], defaultLocale)) {
          const source = { ...row, attribute: attribute.name };
          builder.connect(source, { uid: found.target.uid, arrival: target.arrival }, position, 0);
        }
      });
    }
  }

  #find(
    builder: StoreBuilder,
    attribute: LinkAttribute,
    item: unknown,
    problems: Problems,
    place: string,
  ): { target: EntryType; documentId: string } | null {
    if (!isPolymorphic(attribute)) {
      if (typeof item === 'string') return { target: builder.schema.type(attribute.target), documentId: item };
      problems.add(place, `expected a documentId, not ${quote(item)}`);
      return null;
    }
    const { __type: uid, documentId } = (item ?? {}) as { __type?: unknown; documentId?: unknown };
    const target = typeof uid === 'string' ? builder.schema.types.get(uid) : undefined;
    if (target && target.kind !== 'component' && typeof documentId === 'string') return { target, documentId };
    problems.add(place, `expected {"__type": a content type's uid, "documentId"}, not ${quote(item)}`);
    return null;
  }
}

function visibleFrom(
  context: ReferenceContext,
  target: EntryType,
  rows: readonly DocumentRow[],
  defaultLocale: string,
): DocumentRow[] {
  const locale = context.type.localized ? context.locale : defaultLocale;
  return rows.filter(
    (row) =>
      (!target.draftAndPublish || !context.type.draftAndPublish || row.published === context.published) &&
      (!target.localized || row.locale === locale),
  );
}
