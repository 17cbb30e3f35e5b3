/**
 * Where a Strapi may have changed, by its webhooks and the posts of its plugin. The entries of webhooks may be incomplete
 * or missing, so only the place counts.
 */
import type { PluginPost } from '../../../content/registry/plugin-post.ts';
import { isPlainObject } from '../../../core/plain-object.ts';
import { fileType } from '../../../model/schema/schema.ts';

/** What has changed. A type without a document: any of its entries. Null: anything. */
export type ChangedPlace = { readonly type: string; readonly documentId: string | null } | null;

/** Returns the place of the change that the body of a webhook names. Never throws. */
export function changedPlaceOf(body: unknown): ChangedPlace {
  if (!isPlainObject(body)) return null;
  // webhooks about files have the file as "media", and no uid
  if (isPlainObject(body.media)) return { type: fileType, documentId: documentIdIn(body.media) };
  if (typeof body.uid !== 'string') return null;
  return { type: body.uid, documentId: documentIdIn(body.entry) };
}

/** `entry` is often null, or the string "null" (strapi #25387). */
function documentIdIn(entry: unknown): string | null {
  const id = isPlainObject(entry) ? entry.documentId : null;
  return typeof id === 'string' && id !== '' ? id : null;
}

/** The places of changes that were reported since they were last taken. */
export class Hints {
  /** By type: the changed documents; null for any. */
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

  /** Adds what a post of the plugin names. */
  addPost({ changes }: PluginPost): void {
    for (const [type, documentIds] of Object.entries(changes)) {
      if (documentIds === null) this.add({ type, documentId: null });
      else for (const documentId of documentIds) this.add({ type, documentId });
    }
  }

  addDocument(type: string, documentId: string): void {
    this.add({ type, documentId });
  }

  addType(type: string): void {
    this.add({ type, documentId: null });
  }

  /** Returns and removes the reported places. */
  take(): TakenHints {
    const taken = { documents: this.#documents, isAnywhere: this.#isAnywhere };
    this.#documents = new Map();
    this.#isAnywhere = false;
    return taken;
  }

  /** Adds places that could not be read. */
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
