/** Random entries of the content types in content.ts. */
import fc from 'fast-check';
import type { Change } from '../../src/index.ts';
import { Random } from '../property/random.ts';
import { author } from './content.ts';

type Entry = Record<string, unknown> & { documentId: string };
export type Entries = Record<string, Entry[]>;

const pool = (name: string, size: number) => Array.from({ length: size }, (_, i) => `${name}-${i}`);
const words = ['red', 'green', 'blue', '', 'é'];

/** Entries without ids. All references are to documents among them. */
function randomEntries(random: Random): Entries {
  const authors = random.some(pool('author', 5), 1, 5);
  const files = random.some(pool('file', 3), 1, 3);
  const badges = pool('badge', 6);
  const articles = random.some(pool('article', 6), 1, 6);
  const maybe = <T>(draw: () => T) => (random.chance(50) ? draw() : undefined);
  const seo = () => ({ metaTitle: maybe(() => random.pick(words)), picture: maybe(() => random.pick(files)) });
  const card = () => ({
    text: random.pick(words),
    author: maybe(() => random.pick(authors)),
    seo: maybe(seo),
  });
  const block = () =>
    random.chance(50) ? { __component: 'shared.card', ...card() } : { __component: 'shared.seo', ...seo() };
  const subject = () =>
    random.chance(50)
      ? { __type: author, documentId: random.pick(authors) }
      : { __type: 'api::article.article', documentId: random.pick(articles) };
  const article = (documentId: string, version: object): Entry =>
    withoutMissing({
      documentId,
      ...version,
      title: maybe(() => random.pick(words)),
      rating: maybe(() => random.integer(0, 3)),
      author: maybe(() => random.pick(authors)),
      related: maybe(() => random.some(articles, 0, 3)),
      // no two documents have one badge
      badge: maybe(() => `badge-${documentId.slice(-1)}`),
      subject: maybe(subject),
      subjects: maybe(() => random.many(0, 3, subject)),
      cover: maybe(() => random.pick(files)),
      seo: maybe(seo),
      cards: maybe(() => random.many(0, 3, card)),
      blocks: maybe(() => random.many(0, 3, block)),
    });
  const versions = ['en', 'fr'].flatMap((locale) => [
    { locale, status: 'draft' },
    { locale, status: 'published', publishedAt: '2026-01-01T00:00:00.000Z' },
  ]);
  return {
    author: authors.map((documentId) => ({ documentId, name: random.pick(words) })),
    file: files.map((documentId) => ({ documentId, name: random.pick(words) })),
    badge: badges.map((documentId) => ({ documentId })),
    home: [{ documentId: 'home', title: random.pick(words) }],
    article: articles.flatMap((documentId) =>
      random.some(versions, 1, versions.length).map((version) => article(documentId, version)),
    ),
  };
}

/** Returns random entries, among them about half of `before` that can stay. */
function nextEntries(random: Random, before: Entries): Entries {
  const entries = randomEntries(random);
  const documents = new Set(Object.values(entries).flatMap((list) => list.map(({ documentId }) => documentId)));
  const canStay = (entry: Entry) =>
    Array.from(JSON.stringify(entry).matchAll(/"(\w+-\d)"/g)).every(([, documentId]) => documents.has(documentId));
  const isSame = (one: Entry, other: Entry) =>
    one.documentId === other.documentId && one.locale === other.locale && one.status === other.status;
  for (const [name, list] of Object.entries(entries)) {
    entries[name] = list.map((entry) => {
      const earlier = before[name].find((other) => isSame(entry, other));
      return earlier && canStay(earlier) && random.chance(50) ? earlier : entry;
    });
  }
  return entries;
}

/** Sequences of entries, each with a part of those before. */
export class EntrySequences extends fc.Arbitrary<Entries[]> {
  readonly #length: number;

  constructor(length: number) {
    super();
    this.#length = length;
  }

  override generate(source: fc.Random): fc.Value<Entries[]> {
    const random = new Random(source);
    const sequence = [randomEntries(random)];
    while (sequence.length < this.#length) sequence.push(nextEntries(random, sequence.at(-1)!));
    return new fc.Value(sequence, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Entries[] {
    return Array.isArray(value) && value.length > 1;
  }

  override shrink(): fc.Stream<fc.Value<Entries[]>> {
    return fc.Stream.nil();
  }
}

function withoutMissing(entry: Entry): Entry {
  return JSON.parse(JSON.stringify(entry)) as Entry;
}

const uids: Record<string, string> = {
  author: 'api::author.author',
  badge: 'api::badge.badge',
  file: 'plugin::upload.file',
  home: 'api::home.home',
  article: 'api::article.article',
};

export interface Version {
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
}

const keyOf = (name: string, { documentId, locale, status }: Version) =>
  `${uids[name]} ${documentId} ${locale ?? null} ${status !== 'draft'}`;

/** Returns the entries by version. */
function versionsOf(entries: Entries): Map<string, { name: string; entry: Entries[string][number] }> {
  const versions = Object.entries(entries).flatMap(([name, list]) =>
    list.map((entry) => [keyOf(name, entry as Version), { name, entry }] as const),
  );
  return new Map(versions);
}

/** Returns the versions of each document, as text. */
function documentsOf(entries: Entries): Map<string, string> {
  const documents = new Map<string, string>();
  for (const [key, { entry }] of versionsOf(entries)) {
    documents.set(entry.documentId, `${documents.get(entry.documentId) ?? ''}${key};`);
  }
  return documents;
}

/**
 * Returns the changes from some entries to others. Entries that refer to documents with other versions are among them,
 * because a change of a document alone does not link others to its new versions.
 */
export function changesBetween(before: Entries, after: Entries): Change[] {
  const [old, next] = [versionsOf(before), versionsOf(after)];
  const [oldDocuments, nextDocuments] = [documentsOf(before), documentsOf(after)];
  const moved = [...nextDocuments].flatMap(([id, versions]) => (oldDocuments.get(id) === versions ? [] : [`"${id}"`]));
  const changes: Change[] = [];
  for (const [key, { name, entry }] of old) {
    if (next.has(key)) continue;
    const { documentId, locale, status } = entry as Version;
    changes.push({ delete: uids[name], documentId, ...(locale ? { locale } : {}), ...(status ? { status } : {}) });
  }
  for (const [key, { name, entry }] of next) {
    const text = JSON.stringify(entry);
    if (JSON.stringify(old.get(key)?.entry) === text && !moved.some((id) => text.includes(id))) continue;
    changes.push({ upsert: uids[name], entry });
  }
  return changes;
}
