import type { Batch, BatchLinks } from '../../changes/batch/batch.ts';
import { type ContentState, type ListDigests, LiveRows } from './content-state.ts';
import { type ComparedEntries, EntryComparison } from './entry-comparison.ts';
import { LinkComparison } from './link-comparison.ts';

export interface ComparedContent {
  /** Leads from the content before to the content that was read. */
  readonly batch: Batch;
  /** Bytes of the entries of the batch as JSON, about. */
  readonly bytes: number;
  readonly state: ContentState;
}

/**
 * Compares a content, or the part of it that may have changed, with what is kept of it. First the entries are read, then
 * `beginLinks` is called, then tables of links are read. What is not read stays as it was.
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

  /** Without `keepsChanges`, the batch is empty: only what is kept is of interest. */
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

  /** Ends a table: its links are all that were added since `beginTable`. */
  endTable(name: string): void {
    const { lists, changed } = this.#table!.finish(this.#before.links.get(name), this.#keepsChanges);
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
