import type { EntryType } from '../../model/schema/schema.ts';

/** Maximum number of listed references. Each kept answer holds the list, so it is short. */
export const maxListedReferences = 10;

/**
 * References of a list of changes that made no link: the document exists, but not in the locale and status that the entry
 * refers to. Lectern does not link them later. Write the referring entry again once its target exists.
 */
export interface Unlinked {
  /** All of them. */
  readonly count: number;
  /** The first ten. */
  readonly references: readonly UnlinkedReference[];
}

export interface UnlinkedReference {
  /** Such as `changes[0].entry, attribute author`. */
  readonly location: string;
  readonly type: string;
  readonly documentId: string;
  /** The entry of the document that is missing. Each is left out if the reference may lead to any. */
  readonly status?: 'draft' | 'published';
  readonly locale?: string;
}

/** The facts of the referring entry that decide which entries of a document it refers to. */
interface Referring {
  readonly type: EntryType;
  readonly published: boolean;
  readonly locale: string | null;
}

/** Collects references without a link. */
export class UnlinkedReferences implements Unlinked {
  readonly #defaultLocale: string;
  readonly references: UnlinkedReference[] = [];
  count = 0;

  constructor(defaultLocale: string) {
    this.#defaultLocale = defaultLocale;
  }

  add(location: string, from: Referring, type: EntryType, documentId: string): void {
    if (++this.count > maxListedReferences) return;
    const hasStatus = from.type.draftAndPublish && type.draftAndPublish;
    const locale = from.type.localized ? from.locale : this.#defaultLocale;
    this.references.push({
      location,
      type: type.uid,
      documentId,
      ...(hasStatus && { status: from.published ? 'published' : 'draft' }),
      ...(type.localized && locale !== null && { locale }),
    });
  }
}
