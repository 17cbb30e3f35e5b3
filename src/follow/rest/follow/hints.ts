import type { ChangedPlace } from './webhook.ts';

/** The places of changes that were reported since they were last taken. */
export class Hints {
  /** The documents of each type that were named; null for any. */
  #documents = new Map<string, Set<string> | null>();
  #isAnywhere = false;

  get isEmpty(): boolean {
    return this.#documents.size === 0 && !this.#isAnywhere;
  }

  add(place: ChangedPlace): void {
    if (place === null) {
      this.#isAnywhere = true;
      return;
    }
    const { type, documentId } = place;
    const known = this.#documents.get(type);
    if (documentId === null || known === null) this.#documents.set(type, null);
    else this.#documents.set(type, new Set(known).add(documentId));
  }

  /** Returns what was reported, and forgets it. */
  take(): TakenHints {
    const taken = { documents: this.#documents, isAnywhere: this.#isAnywhere };
    this.#documents = new Map();
    this.#isAnywhere = false;
    return taken;
  }

  /** Reports again what could not be read. */
  restore({ documents, isAnywhere }: TakenHints): void {
    if (isAnywhere) this.#isAnywhere = true;
    for (const [type, ids] of documents) {
      if (ids === null) this.add({ type, documentId: null });
      else for (const documentId of ids) this.add({ type, documentId });
    }
  }
}

export interface TakenHints {
  /** The documents of each type that may have changed; null for any. */
  readonly documents: ReadonlyMap<string, ReadonlySet<string> | null>;
  /** Whether anything else may have changed, too. */
  readonly isAnywhere: boolean;
}
