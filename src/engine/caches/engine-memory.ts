import { DerivedLinks } from '../../query/visible/derived-links.ts';
import { JoinedColumns } from '../../query/visible/joined-columns.ts';
import { LanguageTexts } from '../../query/visible/language-texts.ts';
import { LinkAverages } from '../../query/visible/link-averages.ts';
import { DerivedRegistry } from '../../query/visible/registry.ts';
import { ScopeCache } from '../../query/visible/scope-cache.ts';
import { SearchIndexes } from '../../query/visible/search-indexes.ts';
import type { Store } from '../../store/store.ts';
import type { Tag } from '../../store/tags/tags.ts';
import { CompiledQueries } from '../compiled-queries.ts';
import { Caches } from './caches.ts';
import { ChangeLog } from './change-log.ts';

/** The sizes of what an engine remembers, in bytes. */
interface MemoryLimits {
  readonly cacheBytes: number;
  readonly derivedBytes: number;
  readonly searchBytes: number;
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
  readonly joined: JoinedColumns;
  readonly derivedLinks: DerivedLinks;
  readonly languageTexts: LanguageTexts;
  readonly searches: SearchIndexes;
  readonly changes = new ChangeLog();
  readonly compiled = new CompiledQueries();
  readonly #limits: MemoryLimits;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
    this.caches = new Caches(limits.cacheBytes);
    this.derived = new DerivedRegistry(limits.derivedBytes);
    this.visible = new ScopeCache(this.derived);
    this.linkAverages = new LinkAverages(this.derived);
    this.joined = new JoinedColumns(this.derived);
    this.derivedLinks = new DerivedLinks(this.derived);
    this.languageTexts = new LanguageTexts(this.derived);
    this.searches = new SearchIndexes(limits.searchBytes);
  }

  /** Records a batch of changes that leads to a store, and gives up what holds earlier stores. Null: all tags are stale. */
  change(store: Store, stale: Iterable<Tag> | null): void {
    this.changes.record(stale);
    this.visible.release(store);
    this.compiled.release(store);
  }

  /**
   * Drops everything keyed by row numbers of the old base. Cached replies stay unless they depend on renumbered rows.
   */
  rebase(store: Store, renumbered: Iterable<Tag>): void {
    this.changes.renumber(renumbered);
    this.caches.dropRows();
    this.derived.clear();
    this.searches.forget();
    this.compiled.release(store);
  }

  /** Uses this part of the limits from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.caches.resize(Math.floor(this.#limits.cacheBytes * share));
    this.derived.limit(Math.floor(this.#limits.derivedBytes * share));
    this.searches.limit(Math.floor(this.#limits.searchBytes * share));
  }
}
