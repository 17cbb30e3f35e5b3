import { LinkAverages } from '../../query/visible/link-averages.ts';
import { DerivedRegistry } from '../../query/visible/registry.ts';
import { ScopeCache } from '../../query/visible/scope-cache.ts';
import type { Store } from '../../store/store.ts';
import { rowsCountedBy, type Tag } from '../../store/tags/tags.ts';
import type { CompiledQuery, ReplyTemplate } from '../bound-request.ts';
import { Caches } from './caches.ts';

/** Below this number of references to compiled queries, none are swept. */
const leastSwept = 1024;

/** The sizes of what an engine remembers, in bytes. */
interface MemoryLimits {
  readonly cacheBytes: number;
  readonly derivedBytes: number;
}

/**
 * What an engine remembers of the requests that it answered. It passes to the engine of the next store if that store
 * differs by a batch of changes: what the changes do not concern stays valid.
 */
export class EngineMemory {
  readonly caches: Caches;
  readonly derived: DerivedRegistry;
  readonly visible: ScopeCache;
  readonly linkAverages: LinkAverages;
  readonly changes = new ChangeLog();
  /** Compiled queries, by the template of a prepared query. An entry goes when the prepared query is evicted. */
  readonly #compiled = new WeakMap<ReplyTemplate, CompiledQuery>();
  /** The compiled queries that may hold a store. */
  readonly #holding = new Set<WeakRef<CompiledQuery>>();
  /** At this number of references, those to compiled queries that are gone are swept. */
  #sweptAt = leastSwept;
  readonly #limits: MemoryLimits;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
    this.caches = new Caches(limits.cacheBytes);
    this.derived = new DerivedRegistry(limits.derivedBytes);
    this.visible = new ScopeCache(this.derived);
    this.linkAverages = new LinkAverages(this.derived);
  }

  compiledOf(template: ReplyTemplate): CompiledQuery | undefined {
    return this.#compiled.get(template);
  }

  keepCompiled(template: ReplyTemplate, compiled: CompiledQuery): void {
    this.#compiled.set(template, compiled);
    if (this.#holding.size >= this.#sweptAt) this.#sweep();
    this.#holding.add(new WeakRef(compiled));
  }

  /** Removes references to queries that were evicted. A later sweep waits until their number has doubled. */
  #sweep(): void {
    for (const reference of this.#holding) if (!reference.deref()) this.#holding.delete(reference);
    this.#sweptAt = Math.max(leastSwept, 2 * this.#holding.size);
  }

  /**
   * Records a batch of changes that leads to a store (null: it makes everything stale), and gives up what holds earlier stores: an idle query would
   * otherwise keep the delta of its last use.
   */
  change(store: Store, stale: Iterable<Tag> | null): void {
    this.changes.record(stale);
    this.visible.release(store);
    this.#releaseCompiled(store);
  }

  /**
   * Drops all that belongs to the rows of a base that is not served any more. Replies stay, except those that depend on
   * rows which have other numbers now: all those that one of the tags counts.
   */
  rebase(store: Store, renumbered: Iterable<Tag>): void {
    this.changes.renumber(renumbered);
    this.caches.dropRows();
    this.derived.clear();
    this.#releaseCompiled(store);
  }

  #releaseCompiled(store: Store): void {
    for (const reference of this.#holding) {
      const compiled = reference.deref();
      if (compiled?.fits(store)) continue;
      compiled?.release();
      this.#holding.delete(reference);
    }
  }

  /** Uses this part of the limits from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.caches.resize(Math.floor(this.#limits.cacheBytes * share));
    this.derived.limit(Math.floor(this.#limits.derivedBytes * share));
  }
}

/** Above this number of tags, the log forgets them all: every earlier reply counts as stale then. */
const maximumTags = 200_000;

/** Remembers which tags were made stale, so that a cached reply can be judged when it is used again. */
class ChangeLog {
  readonly #staleSince = new Map<Tag, number>();
  #sequence = 0;
  /** Replies from before this number are stale. */
  #forgotten = 0;
  /** By `rowsCountedBy`: since when rows have other numbers. */
  readonly #renumberedSince = new Map<number, number>();

  /** The number of the last batch or compaction. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Records a batch. Null: it makes everything stale. */
  record(stale: Iterable<Tag> | null): void {
    this.#sequence++;
    if (stale) for (const tag of stale) this.#staleSince.set(tag, this.#sequence);
    if (stale && this.#staleSince.size <= maximumTags) return;
    this.#staleSince.clear();
    this.#forgotten = this.#sequence;
  }

  /** Records that rows have other numbers from now on: all those that one of the tags counts. */
  renumber(tags: Iterable<Tag>): void {
    this.#sequence++;
    for (const tag of tags) this.#renumberedSince.set(rowsCountedBy(tag as number), this.#sequence);
  }

  /** Returns whether any of the tags became stale, or names another row, after the batch with a number. */
  isStale(tags: readonly Tag[], since: number): boolean {
    return since < this.#forgotten || tags.some((tag) => this.#lastChange(tag) > since);
  }

  #lastChange(tag: Tag): number {
    const stale = this.#staleSince.get(tag) ?? 0;
    return typeof tag === 'string' ? stale : Math.max(stale, this.#renumberedSince.get(rowsCountedBy(tag)) ?? 0);
  }
}
