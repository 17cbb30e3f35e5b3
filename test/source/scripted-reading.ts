import type { Batch } from '../../src/changes/batch/batch.ts';
import type { SnapshotError } from '../../src/core/errors.ts';
import type { SourceChange, SourceReading } from '../../src/follow/source-reader.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { thingSnapshot } from '../support/guide.ts';

/** A source whose state a test writes. */
export class ScriptedReading implements SourceReading {
  /** What `load` reads, or the error that it gives. */
  content: JsonSnapshot | SnapshotError;
  /** Calls in their order. */
  readonly calls: string[] = [];
  onNext: () => void = () => {};
  readonly #results: (SourceChange | Error)[] = [];
  #wake: (() => void) | null = null;
  #held: Promise<void> | null = null;

  constructor(content: JsonSnapshot | SnapshotError) {
    this.content = content;
  }

  async load(): Promise<LoadedSnapshot> {
    this.calls.push('load');
    await this.#held;
    if (this.content instanceof Error) throw this.content;
    return loadSnapshot(this.content);
  }

  async next(): Promise<SourceChange> {
    this.calls.push('next');
    this.onNext();
    while (this.#results.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const result = this.#results.shift()!;
    if (result instanceof Error) throw result;
    return result;
  }

  hint(body?: unknown): void {
    this.calls.push(`hint ${JSON.stringify(body)}`);
  }

  async reset(): Promise<void> {
    this.calls.push('reset');
    this.tell(new Error('closed'));
  }

  async close(): Promise<void> {
    this.calls.push('close');
    this.tell(new Error('closed'));
  }

  /** Gives `next` a result. */
  tell(...results: (SourceChange | Error)[]): void {
    this.#results.push(...results);
    this.#wake?.();
  }

  /** Holds every load until the function that is returned is called. */
  hold(): () => void {
    let release!: () => void;
    this.#held = new Promise((resolve) => (release = resolve));
    return release;
  }
}

/** A content of one thing. */
export function titled(title: string): JsonSnapshot {
  return thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
}

/** A batch that gives the thing a title. */
export function retitle(title: string, others: Partial<SourceChange> = {}): SourceChange {
  return { kind: 'batch', batch: batchOf('one', title), readAt: 1, ...others } as SourceChange;
}

/** A batch that does not fit, because the id belongs to another document. */
export function misfit(): SourceChange {
  return { kind: 'batch', batch: batchOf('two', 'Wrong'), readAt: 1 };
}

function batchOf(documentId: string, title: string): Batch {
  return { entities: [{ type: 'api::thing.thing', id: 1, data: { documentId, title } }], links: [] };
}
