import type { LinkTarget } from '../batch/batch.ts';

/**
 * The stored links of a row to one document, in the place of a reference. A patch does not resolve them again: they lead
 * where they led, and go with their target.
 */
export class KeptReference {
  readonly type: string;
  /** Null for an entry without one. */
  readonly documentId: string | null;
  readonly links: readonly LinkTarget[];

  constructor(type: string, documentId: string | null, links: readonly LinkTarget[]) {
    this.type = type;
    this.documentId = documentId;
    this.links = links;
  }
}
