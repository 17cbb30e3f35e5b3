import { type Problems, preview } from '../../core/problems.ts';
import { storeOptionsFor } from '../../load/build-store.ts';
import { EntryWriter, type RowSink } from '../../load/entry-writer.ts';
import { completeValues } from '../../load/strapi/strapi-content.ts';
import { type EntryType, isAdministration, type LinkAttribute } from '../../model/schema/schema.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { nextId, rowOfId } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { CollectionBuilder } from '../../store/writer/collection-builder.ts';
import { type ChangedRows, mapAt, storedVersion, type WrittenRow } from '../stale/changed-rows.ts';
import { type BatchEntity, batchLimits, describeWrongType } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { storedComponents } from './stored-components.ts';

/** Adds the entities of a batch to one builder for each type that they touch. */
export class EntityWriter {
  /** By uid. */
  readonly builders = new Map<string, CollectionBuilder>();
  readonly #rows: ChangedRows;
  readonly #problems: Problems;
  readonly #writer: EntryWriter<WrittenRow>;
  /** The ids of the components that the entries of the batch have in the store, by uid. */
  readonly #storedComponents = new Map<string, Set<number>>();
  /** The entities that were added. */
  readonly #added = new Set<string>();

  constructor(rows: ChangedRows, problems: Problems, { dialect, addresses }: BatchOptions) {
    this.#rows = rows;
    this.#problems = problems;
    const options = storeOptionsFor(dialect, addresses);
    const { schema } = rows.store;
    const sink: RowSink<WrittenRow> = {
      schema,
      addRow: (type, values, published, location) => {
        const builder = mapAt(this.builders, type.uid, () => new CollectionBuilder(type, problems, options));
        builder.add(values, published, location);
        return this.#written(type, values, published, location);
      },
      addComponent: (parent, attribute, component, position) => addComponent(parent, attribute, component, position),
    };
    this.#writer = new EntryWriter(sink, problems);
  }

  /** The blocked users and the names of uploaded files among the entries. */
  get names(): Pick<EntryWriter<WrittenRow>, 'blockedUsers' | 'uploadNames'> {
    return this.#writer;
  }

  add({ type: uid, id, data, published }: BatchEntity, location: string): void {
    const { store } = this.#rows;
    const type = store.schema.types.get(uid);
    if (!type || type.kind === 'component' || isAdministration(uid)) {
      return this.#problems.add(location, describeWrongType(store.schema, uid));
    }
    const key = `${uid} ${id}`;
    if (this.#added.has(key)) return this.#problems.add(location, `the batch names ${uid} ${id} twice`);
    this.#added.add(key);
    const row = rowOfId(segmentOf(store, uid), id);
    if (row !== undefined) this.#noteComponents(type, row);
    if (data !== null) return this.#addEntry(type, { ...data, id }, published, row, location);
    if (row === undefined) this.#problems.add(location, `no ${type.singularName} with id ${id}`);
    else this.#rows.delete(uid, id);
  }

  /**
   * Deletes the components that entries of the batch have no more. Reports those that belong to other entries. To be
   * called after the last entity.
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

  #addEntry(
    type: EntryType,
    values: Record<string, unknown>,
    published: boolean | undefined,
    row: number | undefined,
    location: string,
  ): void {
    const isPublished = completeValues(type, values, location, this.#problems);
    if (row !== undefined) {
      const { documentId } = storedVersion(this.#rows.store, type.uid, row);
      if (documentId !== values.documentId) {
        const message = `the entry belongs to document ${preview(documentId)}, not ${preview(values.documentId)}`;
        this.#problems.add(location, message);
      }
    }
    this.#checkDocumentId(type, values.documentId, location);
    this.#writer.add(type, values, published ?? isPublished, location);
  }

  /** Reports a documentId that is too long. A document that was loaded keeps the one that it has. */
  #checkDocumentId({ uid }: EntryType, documentId: unknown, location: string): void {
    if (typeof documentId !== 'string' || documentId.length <= batchLimits.documentId) return;
    if (rowsOfDocument(segmentOf(this.#rows.store, uid), documentId).length > 0) return;
    const message = `"documentId" has ${documentId.length} characters; the limit is ${batchLimits.documentId}`;
    this.#problems.add(location, message);
  }

  #written(type: EntryType, values: Record<string, unknown>, published: boolean, location: string): WrittenRow {
    const { id, documentId, locale } = values;
    if ((id ?? null) === null) this.#problems.add(location, '"id" is missing');
    const segment = segmentOf(this.#rows.store, type.uid);
    // the builder reports an id of another type
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

function addComponent(parent: WrittenRow, { name }: LinkAttribute, { type, id }: WrittenRow, position: number): void {
  mapAt(parent.components, name, () => []).push({ type: type.uid, id, position, inversePosition: 0 });
}
