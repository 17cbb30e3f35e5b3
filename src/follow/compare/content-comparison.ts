import type { Batch, BatchEntity, BatchLinks } from '../../changes/batch/batch.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import { IdTable, IdTableBuilder } from '../../core/sets/id-table.ts';
import { EntryWriter, type RowSink } from '../../load/entry-writer.ts';
import { isAdministration, type Schema } from '../../model/schema/schema.ts';
import { shortDigest } from '../../store/writer/rows/row-digest.ts';
import { type ContentState, type ListDigests, LiveRows } from './content-state.ts';
import { LinkComparison } from './link-comparison.ts';

export interface ComparedContent {
  /** Leads from the content before to the content that was read. */
  readonly batch: Batch;
  /** Approximate size of the entries of the batch as JSON, in bytes. */
  readonly bytes: number;
  readonly state: ContentState;
}

/**
 * Compares all or part of a source with the digests of its earlier state. Add the entries first, then call
 * `beginLinks`, then add whole tables of links. Types and tables that are not added count as unchanged.
 */
export class ContentComparison {
  readonly #before: ContentState;
  readonly #keepsChanges: boolean;
  readonly entries: EntryComparison;
  readonly #links = new Map<string, ListDigests>();
  readonly #changed: BatchLinks[] = [];
  #compared: ComparedEntries | null = null;
  #rows: LiveRows | null = null;
  #table: LinkComparison | null = null;

  /** Without `keepsChanges`, only computes the state: the batch stays empty. */
  constructor(before: ContentState, keepsChanges: boolean) {
    this.#before = before;
    this.#keepsChanges = keepsChanges;
    this.entries = new EntryComparison(before, keepsChanges);
  }

  /** Ends the entries. */
  beginLinks(): void {
    this.#compared = this.entries.finish();
    this.#rows = new LiveRows({ ...this.#compared, schema: this.#before.schema });
  }

  /** By uid: the ids of entries and components that exist only before or only now. To be called after `beginLinks`. */
  get moved(): ComparedEntries['moved'] {
    return this.#compared!.moved;
  }

  beginTable(): void {
    this.#table = new LinkComparison(this.#rows!);
  }

  /** Takes a link of the table as a line of an export. */
  addLink(line: Record<string, unknown>): void {
    this.#table!.add(line);
  }

  /** Ends a table: its links are all that were added since `beginTable`. With `only`, these are the lists of some rows. */
  endTable(name: string, only: ReadonlySet<number> | null = null): void {
    const { lists, changed } = this.#table!.finish(this.#before.links.get(name), this.#keepsChanges, only);
    this.#links.set(name, lists);
    for (const list of changed) this.#changed.push(list);
  }

  finish(): ComparedContent {
    const { entries, components, changed, bytes } = this.#compared!;
    const links = new Map([...this.#before.links, ...this.#links]);
    const batch = { entities: changed, links: this.#changed };
    return { batch, bytes, state: { schema: this.#before.schema, entries, components, links } };
  }
}

/** The entries that differ, and the digests of all entries. */
export interface ComparedEntries extends Pick<ContentState, 'entries' | 'components'> {
  readonly changed: readonly BatchEntity[];
  /** Approximate size of the changed entries as JSON, in bytes. */
  readonly bytes: number;
  /** By uid: the ids of entries and components that exist only before or only now. */
  readonly moved: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Compares entries, as lines of an export, with their earlier digests. */
class EntryComparison {
  readonly #before: ContentState;
  readonly #keepsChanges: boolean;
  readonly #writer: EntryWriter<null>;
  /** By uid: the digests of the entries that were read; null for a deleted entry. */
  readonly #read = new Map<string, Map<number, number | null>>();
  /** By uid: all entries of a type that is read whole. */
  readonly #whole = new Map<string, IdTableBuilder>();
  /** By uid of a content type and of a component: the components of the entries that differ, and their entries. */
  readonly #components = new Map<string, Map<string, IdTableBuilder>>();
  readonly #changed: BatchEntity[] = [];
  readonly #moved = new Map<string, Set<number>>();
  #bytes = 0;
  /** The entry whose components are collected. */
  #owner = { uid: '', id: 0 };

  /** Without `keepsChanges`, the entries that differ are not returned. */
  constructor(before: ContentState, keepsChanges: boolean) {
    this.#before = before;
    this.#keepsChanges = keepsChanges;
    const sink: RowSink<null> = {
      schema: before.schema,
      addRow: ({ uid, kind }, { id }) => {
        if (kind === 'component') this.#addComponent(uid, id as number);
        return null;
      },
      addComponent: () => {},
    };
    this.#writer = new EntryWriter(sink, new Problems('tolerant'));
  }

  /** Announces that all entries of a type follow. Entries that do not follow were deleted. */
  readWhole(uid: string): void {
    this.#whole.set(uid, new IdTableBuilder());
  }

  /** Takes an entry as a line of an export. Ignores entries of types that are not served. */
  add({ type: uid, id, data }: Record<string, unknown>): void {
    const type = typeof uid === 'string' && !isAdministration(uid) ? this.#schema.types.get(uid) : undefined;
    if (!type || type.kind === 'component' || !isPlainObject(data) || typeof id !== 'number') return;
    const text = JSON.stringify(data);
    const digest = shortDigest(text);
    this.#whole.get(type.uid)?.add(id, digest);
    if (this.#before.entries.get(type.uid)?.get(id) === digest) return;
    this.#note(type.uid, id, digest);
    this.#owner = { uid: type.uid, id };
    this.#writer.add(type, { ...data, id }, true, '');
    if (!this.#keepsChanges) return;
    this.#bytes += text.length;
    this.#changed.push({ type: type.uid, id, data });
  }

  /** Takes a deleted entry. */
  remove(uid: string, id: number): void {
    this.#note(uid, id, null);
    if (this.#keepsChanges) this.#changed.push({ type: uid, id, data: null });
  }

  /** To be called once, after all entries. */
  finish(): ComparedEntries {
    const entries = new Map(this.#before.entries);
    for (const [uid, builder] of this.#whole) {
      const after = builder.finish();
      for (const id of (entries.get(uid) ?? IdTable.empty).ids) {
        if (after.indexOf(id) === undefined) this.remove(uid, id);
      }
      entries.set(uid, after);
    }
    for (const [uid, changes] of this.#read) {
      const before = this.#before.entries.get(uid) ?? IdTable.empty;
      this.#noteMoved(uid, before, changes);
      if (!this.#whole.has(uid)) entries.set(uid, (entries.get(uid) ?? IdTable.empty).with(changes));
    }
    const components = this.#componentsAfter();
    return { entries, components, changed: this.#changed, bytes: this.#bytes, moved: this.#moved };
  }

  get #schema(): Schema {
    return this.#before.schema;
  }

  #note(uid: string, id: number, digest: number | null): void {
    mapAt(this.#read, uid, () => new Map<number, number | null>()).set(id, digest);
  }

  #addComponent(uid: string, id: number): void {
    const owner = this.#owner;
    const byComponent = this.#components.get(owner.uid) ?? new Map<string, IdTableBuilder>();
    this.#components.set(owner.uid, byComponent);
    const builder = byComponent.get(uid) ?? new IdTableBuilder();
    byComponent.set(uid, builder);
    builder.add(id, owner.id);
  }

  /** Replaces the components of the entries that differ. */
  #componentsAfter(): ContentState['components'] {
    const after = new Map(this.#before.components);
    for (const [uid, changed] of this.#read) {
      const added = this.#components.get(uid) ?? new Map<string, IdTableBuilder>();
      const kept = after.get(uid) ?? new Map<string, IdTable>();
      const components = new Map(kept);
      for (const component of new Set([...kept.keys(), ...added.keys()])) {
        const before = kept.get(component) ?? IdTable.empty;
        const changes = new Map<number, number | null>();
        for (let i = 0; i < before.size; i++) if (changed.has(before.values[i])) changes.set(before.ids[i], null);
        const { ids, values } = added.get(component)?.finish() ?? IdTable.empty;
        for (let i = 0; i < ids.length; i++) changes.set(ids[i], values[i]);
        this.#noteMoved(component, before, changes);
        components.set(component, before.with(changes));
      }
      after.set(uid, components);
    }
    return after;
  }

  /** Notes the ids that are new or deleted, except in a first read, where all are new. */
  #noteMoved(uid: string, before: IdTable, changes: ReadonlyMap<number, number | null>): void {
    if (!this.#keepsChanges) return;
    const moved = this.#moved.get(uid) ?? new Set();
    this.#moved.set(uid, moved);
    for (const [id, value] of changes) if ((before.get(id) === undefined) !== (value === null)) moved.add(id);
  }
}
