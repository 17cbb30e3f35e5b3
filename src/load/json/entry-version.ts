import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { completeValues } from '../strapi/strapi-content.ts';

/** An entry of a JSON snapshot with what it may leave out. */
export interface EntryVersion {
  readonly documentId: string;
  readonly published: boolean;
  /** Null for a type that is not localized. */
  readonly locale: string | null;
  /** All attributes, with `locale` and `publishedAt`. */
  readonly values: Record<string, unknown>;
  readonly location: string;
  /** A suffix to the documentId in messages, such as ` (en, draft)`. */
  readonly label: string;
}

/** Returns locations for messages: of an entry without a documentId, and of one with it. */
interface EntryLocation {
  unnamed(): string;
  named(documentId: string, label: string): string;
}

/** Reads which document, status and locale entries have. */
export class EntryVersions {
  readonly #problems: Problems;
  readonly #defaultLocale: string;
  readonly #locales: ReadonlySet<string>;

  constructor(problems: Problems, defaultLocale: string, locales: ReadonlySet<string>) {
    this.#problems = problems;
    this.#defaultLocale = defaultLocale;
    this.#locales = locales;
  }

  /** Returns null and reports the problem if a value is not an entry with a documentId. */
  read(type: EntryType, entry: unknown, { unnamed, named }: EntryLocation): EntryVersion | null {
    if (!isPlainObject(entry)) {
      this.#problems.add(unnamed(), `expected an object, not ${preview(entry)}`);
      return null;
    }
    const { documentId, locale: givenLocale } = entry;
    // inferred types may have an attribute of this name
    const status = type.attributes.has('status') ? undefined : entry.status;
    if (typeof documentId !== 'string' || documentId === '') {
      this.#problems.add(unnamed(), `"documentId" must be a non-empty string, not ${preview(documentId)}`);
      return null;
    }
    const label = labelOf(givenLocale, status);
    const location = named(documentId, label);
    const published = this.#isPublished(type, status, entry, location);
    const locale = this.localeOf(type, givenLocale, location);
    const publishedAt = entry.publishedAt ?? (published ? entry.createdAt : undefined);
    const isComplete = publishedAt === (entry.publishedAt ?? undefined) && locale === (givenLocale ?? null);
    const values = isComplete ? entry : { ...entry, publishedAt, locale };
    return { documentId, published, locale, values, location, label };
  }

  #isPublished(type: EntryType, status: unknown, values: Record<string, unknown>, location: string): boolean {
    const isDraft = status !== undefined && this.isPublishedStatus(type, status, location) === false;
    if (isDraft && type.draftAndPublish && (values.publishedAt ?? null) !== null) {
      this.#problems.add(location, 'a draft cannot have "publishedAt"');
    }
    return !isDraft;
  }

  /** Whether a status is `published`. Reports any other than `draft`, and a status of a type without drafts. */
  isPublishedStatus(type: EntryType, status: unknown, location: string): boolean {
    if (!type.draftAndPublish) this.#problems.add(location, '"status" needs a type with draftAndPublish');
    else if (status !== 'draft' && status !== 'published') {
      this.#problems.add(location, `"status" must be "draft" or "published", not ${preview(status)}`);
    }
    return status !== 'draft';
  }

  /** Returns the locale that is given, or the default. Reports an unknown locale, and one of a type without locales. */
  localeOf(type: EntryType, locale: unknown, location: string): string | null {
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

/**
 * Reads an entry of a Strapi, of which nothing follows from what it leaves out. An entry without a documentId is a document
 * of its own.
 */
export function readStrapiEntry(
  type: EntryType,
  entry: unknown,
  problems: Problems,
  { unnamed, named }: EntryLocation,
): EntryVersion | null {
  if (!isPlainObject(entry)) {
    problems.add(unnamed(), `expected an object, not ${preview(entry)}`);
    return null;
  }
  const values = { ...entry };
  const status = type.attributes.has('status') ? undefined : entry.status;
  const label = labelOf(entry.locale, status);
  const location = typeof entry.documentId === 'string' ? named(entry.documentId, label) : unnamed();
  const isDated = completeValues(type, values, location, problems);
  const published = type.draftAndPublish && status !== undefined ? status !== 'draft' : isDated;
  const locale = typeof entry.locale === 'string' ? entry.locale : null;
  // no text of a database holds a zero
  const documentId = typeof values.documentId === 'string' ? values.documentId : `\0${entry.id}`;
  return { documentId, published, locale, values, location, label };
}

/** Returns the locale and status of an entry, as a suffix to its documentId in messages. */
function labelOf(locale: unknown, status: unknown): string {
  const hasStatus = typeof status === 'string';
  if (typeof locale !== 'string') return hasStatus ? ` (${status})` : '';
  return hasStatus ? ` (${locale}, ${status})` : ` (${locale})`;
}
