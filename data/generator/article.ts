/** Articles: most entries, with drafts and translations. */

import { credits, parts, seo } from './article-parts.ts';
import { ARTICLE } from './article-type.ts';
import { type Block, blocks } from './blocks.ts';
import { type ContentType, sparse } from './content-type.ts';
import { DAY, day, HOUR, iso, LAST_DAY } from './dates.ts';
import { ARTICLE_ROWS, type ArticleRow } from './plan.ts';
import { distinct, Random } from './random.ts';
import { slugify } from './text.ts';
import { SECTIONS, TOPICS_PER_SECTION } from './topics.ts';
import { anyArticle, anyAuthor, anyFile, anyPlace, articleId, articleIssue, articleKind, type World } from './world.ts';
import { body, type Length, lead, type Subject, subject, title } from './writing.ts';

export const article: ContentType = {
  singularName: 'article',
  definition: ARTICLE,
  *entries(world) {
    let id = 0;
    for (let index = 0; index < world.articles.length; index++) {
      const rows = ARTICLE_ROWS.filter((row) => world.articles[index] & row.bit);
      const document = articleDocument(world, index, rows[0].status === 'published');
      for (const row of rows) yield { id: ++id, ...sparse(articleRow(world, index, document, row)) };
    }
  },
};

/** What all rows of an article have in common. */
interface Document {
  about: Subject;
  length: Length;
  /** Moments. `published` is null for an article that has never been out. */
  created: number;
  published: number | null;
  /** Attributes that do not differ by locale. */
  shared: object;
}

function articleDocument(world: World, index: number, out: boolean): Document {
  const random = new Random(world.seed, 'article', index);
  const topic = random.rank(SECTIONS.length) * TOPICS_PER_SECTION + random.rank(TOPICS_PER_SECTION);
  const about = subject(random, articleKind(world, index), topic);
  const issueIndex = out ? articleIssue(world, index) : null;
  const issue = issueIndex === null ? null : world.issues[issueIndex];
  const [from, until] = issue ? [issue.start, issue.end] : [world.issues[0].start, LAST_DAY];
  const published = out ? random.integer(from / DAY, Math.min(until - DAY, LAST_DAY) / DAY) * DAY : null;
  const created = (published ?? LAST_DAY - random.integer(1, 60) * DAY) - random.integer(3, 60) * DAY;
  const dice = random.next();
  const shared = {
    kind: about.kind,
    premium: random.chance(0.28),
    rating: random.maybe(0.72, () => Math.round((5 - 4 * random.next() ** 1.8) * 10) / 10),
    publishedOn: published === null ? null : day(published),
    reading: dice < 0.012 ? random.integer(18, 40) : random.integer(2, 17),
    views: out ? Math.floor(Math.exp(random.next() * 14.5)) : null,
    fee: random.maybe(0.6, () => random.integer(80, 900) + random.pick([0, 0.5, 0.25])),
    editorComment: random.maybe(0.1, () => random.pick(EDITOR_COMMENTS)),
    figures: random.maybe(0.3, () => ({
      interviews: random.integer(1, 14),
      kilometres: random.integer(3, 2400) / 2,
      weather: random.pick(['rain', 'fog', 'heat', null]),
      kettles: random.chance(0.5) ? [random.integer(1, 3), random.integer(4, 9)] : [],
    })),
    keywords: random.maybe(0.5, () => [about.topic.en, about.city.name.en.toLowerCase(), about.kind]),
    author: random.maybe(0.97, () => anyAuthor(world, random)),
    issue: issue?.documentId ?? null,
    categories: articleCategories(world, random, topic),
    places: random.chance(0.2) ? distinct(random.integer(1, 3), () => anyPlace(world, random)) : [],
    related: distinct(random.integer(0, 3), () => anyArticle(world, random)).filter(
      (other) => other !== articleId(index),
    ),
    cover: random.maybe(0.8, () => anyFile(world, random)),
    gallery: random.chance(0.08) ? distinct(random.integer(2, 5), () => anyFile(world, random)) : [],
    credits: credits(world, random),
  };
  const length = dice < 0.012 ? 'long' : dice < 0.07 ? 'medium' : dice < 0.42 ? 'short' : 'brief';
  return { about, length, created, published, shared };
}

function articleRow(world: World, index: number, document: Document, row: ArticleRow): object {
  const { about, created, published } = document;
  // the first stream serves both statuses of a locale, so that a draft is the published text with changes
  const text = new Random(world.seed, `article ${row.locale}`, index);
  const random = new Random(world.seed, `article ${row.locale} ${row.status}`, index);
  const draft = row.status === 'draft';
  const out = draft ? null : published! + random.integer(4, 20) * HOUR;
  const delay = draft ? random.integer(240, 900) : random.integer(1, 200);
  const updated = Math.min((out ?? published ?? created) + delay * HOUR, LAST_DAY);
  const slug = slugify(title(about, row.locale, text));
  const revised = draft && published !== null ? revision(about, random) : about;
  const heading = title(revised, row.locale, random);
  return {
    documentId: articleId(index),
    status: row.status,
    locale: row.locale,
    createdAt: iso(created + (row.locale === 'en' ? 0 : 2 * DAY) + text.integer(0, 23) * HOUR),
    updatedAt: iso(Math.max(updated, created + 3 * DAY)),
    publishedAt: out === null ? null : iso(out),
    title: heading,
    // made from the first title, so a draft with a new one keeps its address
    slug: `${shorten(slug)}-${(index + 1).toString(36)}`,
    lead: text.maybe(0.97, () => lead(revised, row.locale, text)),
    ...document.shared,
    correctedAt: random.maybe(0.05, () => iso(updated)),
    footnote: text.maybe(0.06, () => text.pick(FOOTNOTES)),
    body: text.maybe(0.98, (): Block[] => blocks(body(about, row.locale, text, document.length), text)),
    translator: row.locale === 'en' ? null : text.maybe(0.9, () => anyAuthor(world, text)),
    seo: text.maybe(0.15, () => seo(world, text, heading)),
    parts: parts(world, text, about.person.full),
  };
}

/** What a newer draft changes: mostly the lead, now and then the title too. */
function revision(about: Subject, random: Random): Subject {
  return { ...about, lead: about.lead + 1, title: random.chance(0.4) ? (about.title + 1) % 5 : about.title };
}

/** The topic's own category, perhaps one below it, its section, and one or two popular others. */
function articleCategories(world: World, random: Random, topic: number): string[] {
  const own = world.categoriesOfTopic[topic];
  const section = world.categories[Math.floor(topic / TOPICS_PER_SECTION)];
  const found = new Set<string>(own.slice(0, 1).map((category) => category.documentId));
  if (found.size === 0 || random.chance(0.3)) found.add(section.documentId);
  if (own.length > 1 && random.chance(0.4)) found.add(random.pick(own).documentId);
  while (random.chance(0.35)) found.add(world.categories[random.popular(world.categories.length)].documentId);
  return random.chance(0.02) ? [] : [...found];
}

/** At most 48 letters, cut between words. */
function shorten(slug: string): string {
  return slug.length <= 48 ? slug : slug.slice(0, slug.lastIndexOf('-', 48));
}

const EDITOR_COMMENTS = [
  'Check the dates with the archive before print.',
  'Cut the second paragraph? It is lovely, but.',
  'Fee agreed by phone, see folder "Q:\\Fees\\2026".',
  'Do not promise a sequel again.',
];

const FOOTNOTES = [
  'An earlier version of this text put the bridge on the *wrong* river. We regret the error, and the river.',
  'The author travelled at the expense of the magazine, **second class**.',
  'Some names have been changed; the dog’s has not. 🐕',
  '*Naïve*, *façade* and *smørrebrød* are spelled as their owners prefer.\n\n— The editors',
];
