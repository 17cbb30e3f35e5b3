import type { ContentType } from '../fill/strapi.ts';

/** A row of a document: what tells it from the document's others. */
export interface Version {
  id: number;
  published: boolean;
  locale: string | null;
}

/** The rows of each document, and which of them a reference means: data/README.md has the rule. */
export class Documents {
  readonly #types: Record<string, ContentType>;
  readonly #defaultLocale: string;
  readonly #versions = new Map<string, Map<string, Version[]>>();

  constructor(types: Record<string, ContentType>, defaultLocale: string) {
    this.#types = types;
    this.#defaultLocale = defaultLocale;
  }

  add(uid: string, documentId: string, version: Version): void {
    const documents = this.#versions.get(uid) ?? new Map<string, Version[]>();
    this.#versions.set(uid, documents);
    documents.set(documentId, [...(documents.get(documentId) ?? []), version]);
  }

  /** The rows that a row means by a document: like leads to like, as far as both types have drafts or locales. */
  meant(uid: string, from: Version, target: string, documentId: string): Version[] {
    const source = this.#types[uid];
    const type = this.#types[target];
    const bothHaveDrafts = hasDrafts(source) && hasDrafts(type);
    const locale = isLocalized(source) ? from.locale : this.#defaultLocale;
    const versions = this.#versions.get(target)?.get(documentId);
    if (!versions) throw new Error(`no ${target} with documentId ${documentId}`);
    return versions.filter((version) => {
      return (
        (!bothHaveDrafts || version.published === from.published) && (!isLocalized(type) || version.locale === locale)
      );
    });
  }
}

export const hasDrafts = ({ options }: ContentType): boolean => options?.draftAndPublish === true;
export const isLocalized = ({ pluginOptions }: ContentType): boolean => pluginOptions?.i18n?.localized === true;
