import type { BoundQuery } from '../query/bound.ts';
import { typesOfQuery } from '../query/query-tags.ts';
import { collectionOf, type Store } from '../store/store.ts';
import { type BoundRequest, CompiledQuery } from './bound-request.ts';
import type { EngineMemory } from './caches/engine-memory.ts';

/** What one store adds to reply templates. */
export class CompiledQueries {
  readonly #store: Store;
  readonly #memory: EngineMemory;

  constructor(store: Store, memory: EngineMemory) {
    this.#store = store;
    this.#memory = memory;
  }

  /** A template of one request gets an object that is not kept. */
  of({ template, query }: BoundRequest): CompiledQuery {
    if (!template.isShared) return new CompiledQuery();
    const known = this.#memory.compiledOf(template);
    if (known?.fits(this.#store)) return known;
    const types = known?.types ?? this.#typesOf(query);
    const created = new CompiledQuery(types, this.#store, known?.sizeHint);
    this.#memory.keepCompiled(template, created);
    return created;
  }

  /** Returns the numbers of the collections that a query reads. */
  #typesOf(query: BoundQuery): readonly number[] {
    const { schema } = this.#store;
    return Array.from(typesOfQuery(schema, query), (uid) => collectionOf(this.#store, uid).number);
  }
}
