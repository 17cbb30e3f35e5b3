/** Maximum number of documents that wait. After that, types are named without their documents. */
const maxDocuments = 5000;

/** The changes that no post has named yet. */
class PendingChanges {
  /** @type {Map<string, Set<string> | null>} by type: the documents that have changed; null: any of them */
  #byType = new Map();

  /** The number of documents that wait. A type without its documents counts as one. */
  get size() {
    return Array.from(this.#byType.values()).reduce((total, some) => total + (some?.size ?? 1), 0);
  }

  /** @type {(uid: string, documentId: string | null) => void} `documentId` null: any document may have changed */
  add(uid, documentId) {
    const documents = this.#byType.get(uid);
    if (documents === null) return;
    const isNamed = documentId !== null && (documents?.has(documentId) || this.size < maxDocuments);
    this.#byType.set(uid, isNamed ? (documents ?? new Set()).add(documentId) : null);
  }

  /** Returns and removes all changes, as a post names them. */
  take() {
    const taken = Object.fromEntries(Array.from(this.#byType, ([uid, some]) => [uid, some && [...some]]));
    this.#byType.clear();
    return taken;
  }
}

module.exports = { PendingChanges, maxDocuments };
