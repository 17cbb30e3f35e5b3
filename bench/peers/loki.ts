import type { Article, Author, Category, Rows } from '../data/rows.ts';
import { type LokiCollection, openLoki } from '../packages.ts';
import { manyPage, type Parameters, pageSize, type QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import { byDateDescending, byId, byRatingDescending, byTitle, type Order } from './order.ts';
import type { Peer } from './peer.ts';
import { articleShape, populatedShape, replyOf } from './shape.ts';

/** A row with its keys beside it: LokiJS has no joins, so these are made by hand, with sets. */
interface Indexed extends Article {
  authorId: number | null;
}

/** LokiJS with a unique index on the slug and binary indexes on what is filtered; matches are sorted natively. */
export class Loki implements Peer {
  #articles!: LokiCollection<Indexed>;
  #authors: Author[] = [];
  #articlesOf = new Map<string, Indexed[]>();

  load({ articles, authors, categories }: Rows): void {
    const indices = ['premium', 'rating', 'reading', 'kind', 'authorId'];
    const rows = articles.map(indexed);
    this.#articles = openLoki().addCollection<Indexed>('articles', { unique: ['slug'], indices });
    this.#articles.insert(rows);
    this.#authors = authors;
    this.#articlesOf = new Map(categories.map(({ slug }: Category) => [slug, []]));
    for (const row of rows) for (const { slug } of row.categories) this.#articlesOf.get(slug)!.push(row);
  }

  query(name: QueryName, set: ParameterSet): Buffer {
    return (this.#answers[name] as (parameters: Parameters[QueryName]) => Buffer)(set.parameters);
  }

  readonly #answers: { [Name in QueryName]: (parameters: Parameters[Name]) => Buffer } = {
    slug: ({ slug }) => {
      const row = this.#articles.by('slug', slug);
      return replyOf(row ? [articleShape(row)] : [], 1, row ? 1 : 0);
    },
    two: ({ premium, rating }) =>
      this.#sorted({ $and: [{ rating: { $gte: rating } }, { premium }] }, byDateDescending, 1),
    local: ({ kind, page }) => this.#sorted({ kind }, byRatingDescending, page),
    deep2: ({ league, page }) => this.#byAuthors((author) => author.team?.league === league, page),
    deep3: ({ league, page }) => this.#byAuthors((author) => author.mentor?.team?.league === league, page),
    many: ({ slugs, from, to }) => {
      const found = new Set<Indexed>();
      for (const slug of slugs) {
        for (const row of this.#articlesOf.get(slug)!) if (row.reading >= from && row.reading <= to) found.add(row);
      }
      return page([...found].sort(byDateDescending), manyPage);
    },
    contains: ({ piece }) => this.#sorted({ title: { $regex: new RegExp(piece, 'i') } }, byId, 1),
    page: ({ page: number }) => {
      const rows = this.#articles.chain().offset((number - 1) * pageSize);
      return replyOf(rows.limit(pageSize).data().map(populatedShape), number, this.#articles.count());
    },
    mix: ({ kind, rating }) => {
      const few = new Set(this.#authors.filter(({ stars }) => stars !== null && stars < 2).map(({ id }) => id));
      const rated = (row: Indexed) => row.kind === kind && row.rating !== null && row.rating > rating;
      const rows = this.#articles
        .chain()
        .where((row) => rated(row) || (row.authorId !== null && few.has(row.authorId)));
      return page(rows.data().sort(byTitle), 1);
    },
  };

  #sorted(condition: object, order: Order, number: number): Buffer {
    return page(this.#articles.find(condition).sort(order), number);
  }

  #byAuthors(test: (author: Author) => boolean, number: number): Buffer {
    const authors = new Set(this.#authors.filter(test).map(({ id }) => id));
    const rows = this.#articles.chain().where(({ authorId }) => authorId !== null && authors.has(authorId));
    return page(rows.data().sort(byRatingDescending), number);
  }
}

/** Attributes are added in place: a spread of this many may give objects that are slow to read. */
function indexed(row: Article): Indexed {
  const copy = articleShape(row) as Indexed;
  copy.author = row.author;
  copy.categories = row.categories;
  copy.authorId = row.author?.id ?? null;
  return copy;
}

function page(matches: Indexed[], number: number): Buffer {
  const rows = matches.slice((number - 1) * pageSize, number * pageSize);
  return replyOf(rows.map(articleShape), number, matches.length);
}
