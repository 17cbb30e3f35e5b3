import { isPlainObject } from '../../base/plain-object.ts';
import { type Problems, preview } from '../../base/problems.ts';
import type { StoreBuilder } from '../../build/store-builder.ts';
import type { EntryType } from '../../model/schema.ts';
import { BrokenFile } from '../broken-file.ts';
import { EntryWriter } from '../entry-writer.ts';
import { References } from './references.ts';

/** Reads the entries of all content types, one type at a time. */
export class EntryReader {
  readonly references: References;
  readonly #problems: Problems;
  readonly #defaultLocale: string;
  readonly #locales: ReadonlySet<string>;
  readonly #writer: EntryWriter;

  constructor(builder: StoreBuilder, problems: Problems, defaultLocale: string, locales: ReadonlySet<string>) {
    this.#problems = problems;
    this.#defaultLocale = defaultLocale;
    this.#locales = locales;
    this.references = new References(builder, problems);
    this.#writer = new EntryWriter(builder, problems, (...reference) => this.references.add(...reference));
  }

  get blockedUsers(): ReadonlySet<string> {
    return this.#writer.blockedUsers;
  }

  async read(type: EntryType, location: string, batches: () => AsyncIterable<unknown[]>): Promise<void> {
    try {
      let position = 0;
      for await (const batch of batches()) {
        for (const entry of batch) this.#add(type, entry, location, position++);
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      this.#problems.add(location + error.location, error.message);
      // references to entries after the error are not mistakes
      this.references.suppressMissing(type);
    }
  }

  #add(type: EntryType, entry: unknown, file: string, position: number): void {
    const problems = this.#problems;
    if (!isPlainObject(entry)) {
      return problems.add(`${file}, entry [${position}]`, `expected an object, not ${preview(entry)}`);
    }
    const { documentId, locale } = entry;
    // inferred types may have an attribute of this name
    const status = type.attributes.has('status') ? undefined : entry.status;
    if (typeof documentId !== 'string' || documentId === '') {
      const message = `"documentId" must be a non-empty string, not ${preview(documentId)}`;
      return problems.add(`${file}, entry [${position}]`, message);
    }
    const label = labelOf(locale, status);
    const location = `${file}, entry ${documentId}${label}`;
    const published = this.#isPublished(type, status, entry, location);
    const rowLocale = this.#localeOf(type, locale, location);
    const publishedAt = entry.publishedAt ?? (published ? entry.createdAt : undefined);
    const isComplete = publishedAt === (entry.publishedAt ?? undefined) && rowLocale === (locale ?? null);
    const values = isComplete ? entry : { ...entry, publishedAt, locale: rowLocale };
    this.references.addEntry({ type, published, locale: rowLocale, location: file, label }, documentId, location);
    this.#writer.add(type, values, published, location);
  }

  #isPublished(type: EntryType, status: unknown, values: Record<string, unknown>, location: string): boolean {
    if (status === undefined) return true;
    if (!type.draftAndPublish) this.#problems.add(location, '"status" needs a type with draftAndPublish');
    else if (status !== 'draft' && status !== 'published') {
      this.#problems.add(location, `"status" must be "draft" or "published", not ${preview(status)}`);
    } else if (status === 'draft' && (values.publishedAt ?? null) !== null) {
      this.#problems.add(location, 'a draft cannot have "publishedAt"');
    }
    return status !== 'draft';
  }

  #localeOf(type: EntryType, locale: unknown, location: string): string | null {
    if (!type.localized) {
      if (locale !== undefined && locale !== null) this.#problems.add(location, '"locale" needs a localized type');
      return null;
    }
    if (locale === undefined) return this.#defaultLocale;
    if (this.#locales.has(locale as string)) return locale as string;
    this.#problems.add(location, `"locale" must be one of ${[...this.#locales].join(', ')}, not ${preview(locale)}`);
    return this.#defaultLocale;
  }
}

/** Returns the locale and status of an entry, as a suffix to its documentId in messages. */
function labelOf(locale: unknown, status: unknown): string {
  const hasStatus = typeof status === 'string';
  if (typeof locale !== 'string') return hasStatus ? ` (${status})` : '';
  return hasStatus ? ` (${locale}, ${status})` : ` (${locale})`;
}
