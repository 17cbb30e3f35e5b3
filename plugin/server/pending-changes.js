/** Maximum number of documents that wait. After that, types are named without their documents. */
const maxDocuments = 5000;

/** The changes that no post has named yet. */
class PendingChanges {
  /**
   * By uid of the content type: the documents that have changed. Null: any of them.
   * @type {Map<string, Set<string> | null>}
   */
  #byType = new Map();
  #count = 0;

  get isEmpty() {
    return this.#byType.size === 0;
  }

  /** The number of documents that wait. A type without its documents counts as one. */
  get size() {
    return Array.from(this.#byType.values()).reduce((total, some) => total + (some?.size ?? 1), 0);
  }

  /**
   * @param {string} uid of a content type
   * @param {string | null} documentId null: any document of the type may have changed
   */
  add(uid, documentId) {
    const documents = this.#byType.get(uid);
    if (documents === null || documents?.has(documentId ?? '')) return;
    if (documentId === null || this.#count >= maxDocuments) {
      this.#count -= documents?.size ?? 0;
      this.#byType.set(uid, null);
      return;
    }
    this.#count++;
    if (documents) documents.add(documentId);
    else this.#byType.set(uid, new Set([documentId]));
  }

  /**
   * Returns and removes all changes.
   * @returns {Record<string, string[] | null>}
   */
  take() {
    const taken = Object.fromEntries(Array.from(this.#byType, ([uid, some]) => [uid, some && [...some]]));
    this.#byType.clear();
    this.#count = 0;
    return taken;
  }
}

module.exports = { PendingChanges, maxDocuments };
