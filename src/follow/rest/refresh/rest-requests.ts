import { fileType } from '../../../model/schema/schema.ts';
import { listsOf } from '../check-links.ts';
import { hasTwoSides } from '../link-tables.ts';
import { readRow, type Shown, type ShownList } from '../read-row.ts';
import type { RestTypes } from '../rest-types.ts';
import type { RowSource } from '../row-source.ts';
import type { Slice } from '../slices.ts';
import type { StrapiInput } from '../strapi-input.ts';
import type { RowRequests } from './refresh.ts';
import { inverseNameOf } from './relation-sides.ts';
import { isSameRow, type ListedTarget, type OwnList, type SourceRow } from './source-row.ts';

/** Documents or ids that a URL names, beside all attributes that it populates. */
const perRequest = 30;

/** Requests rows of a Strapi. */
export class RestRequests implements RowRequests {
  readonly #types: RestTypes;
  readonly #reader: RowSource;
  readonly #slices = new Map<string, readonly Slice[]>();

  constructor(input: StrapiInput, types: RestTypes, reader: RowSource) {
    this.#types = types;
    this.#reader = reader;
    for (const [uid, readable] of types.readable) this.#slices.set(uid, input.slicesOf(types, readable));
  }

  isReadable(type: string): boolean {
    return this.#slices.has(type);
  }

  /** The slices of a type. */
  slicesOf(type: string): readonly Slice[] {
    return this.#slices.get(type) ?? [];
  }

  documents(type: string, documentIds: readonly string[]): Promise<SourceRow[]> {
    return this.#rows(type, (slice) => inParts(documentIds, (some) => this.#reader.byDocumentIds(slice, some)));
  }

  rows(type: string, ids: readonly number[]): Promise<SourceRow[]> {
    return this.#rows(type, (slice) => inParts(ids, (some) => this.#reader.byIds(slice, some)));
  }

  all(type: string): Promise<SourceRow[]> {
    return this.#rows(type, async (slice) => {
      const rows: Shown[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page = await this.#reader.page(slice, after);
        rows.push(...page.rows);
        after = page.next;
      }
      return rows;
    });
  }

  /** Puts the rows of the slices of a type together, with the files that they show if files cannot be listed. */
  async #rows(uid: string, read: (slice: Slice) => Promise<readonly Shown[]>): Promise<SourceRow[]> {
    const slices = this.slicesOf(uid);
    const shown = await Promise.all(slices.map(read));
    const found = new Map<number, { slice: Slice; data: SourceRow['data']; lists: ShownList[] }>();
    const files = new Map<number, Shown>();
    for (const [i, slice] of slices.entries()) {
      for (const row of shown[i]) {
        const { data, lists } = readRow(this.#types, slice.readable.type, row);
        const earlier = found.get(row.id);
        if (!earlier && slice.isOnlyLinks) continue;
        const more = listsOf(this.#types, slice, lists);
        if (earlier) earlier.lists.push(...more);
        else found.set(row.id, { slice, data, lists: [...more] });
        if (!this.isReadable(fileType)) collectFiles(lists, files);
      }
    }
    const rows = Array.from(found, ([id, { slice, data, lists }]) => this.#rowOf(slice, id, data, lists));
    return [...rows, ...Array.from(files.values(), (file) => this.#fileOf(file))];
  }

  #rowOf({ readable, status }: Slice, id: number, data: SourceRow['data'], shown: readonly ShownList[]): SourceRow {
    const { type } = readable;
    const { schema } = this.#types;
    const lists = new Map<string, OwnList>();
    const sources = new Map<string, number[]>();
    for (const { type: owner, id: ownerId, attribute, targets } of shown) {
      const { name } = attribute;
      if (attribute.owner) {
        const key = `${owner.uid} ${ownerId} ${name}`;
        const isMany = attribute.kind === 'polymorphic' && attribute.many;
        const listed = targets.map((target): ListedTarget => {
          return {
            type: target.type,
            id: target.id,
            ...(isMany && { inverse: inverseNameOf(schema, owner.uid, name, target.type) }),
          };
        });
        const earlier = lists.get(key)?.targets ?? [];
        // both statuses of a type without drafts may show a link of a polymorphic list
        const isRepeated = (target: ListedTarget) =>
          attribute.kind === 'polymorphic' && earlier.some((one) => isSameRow(one, target));
        const more = listed.filter((target) => !isRepeated(target));
        lists.set(key, { type: owner.uid, id: ownerId, attribute: name, targets: [...earlier, ...more] });
      } else if (attribute.kind === 'relation' && hasTwoSides(this.#types, owner, attribute)) {
        sources.set(name, [...(sources.get(name) ?? []), ...targets.map((target) => target.id)]);
      }
    }
    const documentId = typeof data.documentId === 'string' ? data.documentId : null;
    const isDraft = status === null ? typeof data.publishedAt !== 'string' : status === 'draft';
    const published = !type.draftAndPublish || !isDraft;
    return { type: type.uid, id, documentId, published, data, lists: [...lists.values()], sources };
  }

  #fileOf(file: Shown): SourceRow {
    const { data } = readRow(this.#types, this.#types.schema.type(fileType), file);
    const documentId = typeof data.documentId === 'string' ? data.documentId : null;
    return { type: fileType, id: file.id, documentId, published: true, data, lists: [], sources: new Map() };
  }
}

async function inParts<T>(
  items: readonly T[],
  read: (some: readonly T[]) => Promise<readonly Shown[]>,
): Promise<Shown[]> {
  const parts: Promise<readonly Shown[]>[] = [];
  for (let i = 0; i < items.length; i += perRequest) parts.push(read(items.slice(i, i + perRequest)));
  return (await Promise.all(parts)).flat();
}

function collectFiles(lists: readonly ShownList[], files: Map<number, Shown>): void {
  for (const { attribute, targets } of lists) {
    if (attribute.kind === 'media') for (const { id, shown } of targets) files.set(id, shown);
  }
}
