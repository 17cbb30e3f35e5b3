import { mapAt } from '../../core/map-at.ts';
import type { Problems } from '../../core/problems.ts';
import { storeOptionsFor } from '../../load/build-store.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { nextId, rowOfId } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { CollectionBuilder } from '../../store/writer/collection-builder.ts';
import type { StoreOptions } from '../../store/writer/store-options.ts';
import { batchLimits } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import type { ChangedRows, WrittenRow } from './changed-rows.ts';
import type { EntryNode } from './entry-tree.ts';
import { storedComponents } from './stored-links.ts';

/** Adds the entries of a batch to one builder for each type that they touch. */
export class RowBuilders {
  /** By uid. */
  readonly builders = new Map<string, CollectionBuilder>();
  readonly #rows: ChangedRows;
  readonly #problems: Problems;
  readonly #options: StoreOptions;
  /** The ids of the components that the entries of the batch have in the store, by uid. */
  readonly #storedComponents = new Map<string, Set<number>>();

  constructor(rows: ChangedRows, problems: Problems, { dialect, addresses }: BatchOptions) {
    this.#rows = rows;
    this.#problems = problems;
    this.#options = storeOptionsFor(dialect, addresses);
  }

  /** Adds an entry with its components. `row` is the one that it replaces. */
  write(entry: EntryNode, row: number | undefined): void {
    if (row !== undefined) this.#noteComponents(entry.type, row);
    this.#checkDocumentId(entry);
    this.#write(entry);
  }

  /** Deletes an entry with its components. `row` is its row. */
  delete(type: EntryType, id: number, row: number): void {
    this.#noteComponents(type, row);
    this.#rows.delete(type.uid, id);
  }

  /**
   * Deletes the components that entries of the batch no longer have. Reports components that belong to other entries.
   * To be called after the last entity.
   */
  finishComponents(): void {
    for (const [uid, stored] of this.#storedComponents) {
      const written = this.#rows.written.get(uid);
      for (const id of stored) if (!written?.has(id)) this.#rows.delete(uid, id);
    }
    for (const [uid, written] of this.#rows.written) {
      const stored = this.#storedComponents.get(uid);
      for (const { type, id, replaces, location } of written.values()) {
        if (type.kind !== 'component' || replaces === undefined || stored?.has(id)) continue;
        this.#problems.add(location, `the component ${uid} with id ${id} belongs to another entry`);
      }
    }
  }

  #write({ type, values, published, location, id, components }: EntryNode): WrittenRow {
    const builder = mapAt(this.builders, type.uid, () => new CollectionBuilder(type, this.#problems, this.#options));
    builder.add(values.id === id ? values : { ...values, id }, published, location);
    const written = this.#written(type, id, values, published, location);
    for (const { attribute, position, node } of components) {
      const { type, id } = this.#write(node);
      mapAt(written.components, attribute.name, () => []).push({ type: type.uid, id, position, inversePosition: 0 });
    }
    return written;
  }

  /** Reports a documentId that is too long. A document that was loaded keeps the one that it has. */
  #checkDocumentId({ type: { uid }, values: { documentId }, location }: EntryNode): void {
    if (typeof documentId !== 'string' || documentId.length <= batchLimits.documentId) return;
    if (rowsOfDocument(segmentOf(this.#rows.store, uid), documentId).length > 0) return;
    const message = `"documentId" has ${documentId.length} characters; the limit is ${batchLimits.documentId}`;
    this.#problems.add(location, message);
  }

  #written(
    type: EntryType,
    id: unknown,
    { documentId, locale }: EntryNode['values'],
    published: boolean,
    location: string,
  ): WrittenRow {
    if ((id ?? null) === null) this.#problems.add(location, '"id" is missing');
    const segment = segmentOf(this.#rows.store, type.uid);
    // the builder reports an id that is no number
    const replaces = typeof id === 'number' ? rowOfId(segment, id) : undefined;
    const greatest = Math.max(batchLimits.id, nextId(segment) + batchLimits.idGap);
    if (typeof id === 'number' && replaces === undefined && id > greatest) {
      this.#problems.add(location, `the id ${id} is too large for a new row: the limit is ${greatest}`);
    }
    const written = {
      type,
      id: id as number,
      version: {
        documentId: type.kind !== 'component' && typeof documentId === 'string' ? documentId : null,
        published,
        locale: type.localized && typeof locale === 'string' ? locale : null,
      },
      replaces,
      location,
      components: new Map(),
    };
    this.#rows.write(written);
    return written;
  }

  #noteComponents(type: EntryType, row: number): void {
    for (const component of storedComponents(this.#rows.store, type, row)) {
      mapAt(this.#storedComponents, component.type, () => new Set()).add(component.id);
    }
  }
}
