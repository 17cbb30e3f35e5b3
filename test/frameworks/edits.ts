/** Edits of the demo, with the pages that show what is edited. The sites show the five latest articles, and each one. */
import type { Checks } from './checks.ts';
import type { Change, Entry, Lectern } from './lectern.ts';
import type { Pages } from './pages.ts';

const uid = 'api::article.article';
const home = '/';
const pathOf = ({ slug }: Entry) => `/articles/${slug}`;

/** The articles of a test. */
export class Articles {
  /** The latest five, which the first page lists. */
  readonly latest: readonly Entry[];
  /** An article that the first page does not list, by another author. */
  readonly older: Entry;
  /** An article that no page shows. */
  readonly unseen: Entry;
  /** An article that does not exist yet. */
  readonly added: Entry;
  readonly #lectern: Lectern;
  readonly #all: readonly Entry[];

  constructor(lectern: Lectern) {
    this.#lectern = lectern;
    this.#all = lectern
      .entries('article')
      .filter(({ locale, status }) => locale === 'en' && status === 'published')
      .sort((a, b) => (b.publishedOn ?? '').localeCompare(a.publishedOn ?? '') || a.id - b.id);
    this.latest = this.#all.slice(0, 5);
    const authors = this.latest.map(({ author }) => author);
    [this.older, this.unseen] = this.#all.slice(100).filter(({ author }) => author && !authors.includes(author));
    const { documentId, slug, title } = { documentId: 'brand-new', slug: 'brand-new', title: 'Brand new' };
    const { id: _, ...rest } = this.unseen;
    this.added = { ...rest, documentId, slug, title, publishedOn: '2026-12-31' };
  }

  /** The paths of the pages that the test reads. The last one is missing at first. */
  get paths(): string[] {
    return [home, ...[...this.latest, this.older, this.added].map(pathOf)];
  }

  /** The paths of the pages that show an article, or a list. */
  get existing(): string[] {
    return this.paths.slice(0, -1);
  }

  /** Makes ten edits. After each, exactly the pages that show the entry are made again, by their next visit. */
  async edit(pages: Pages, checks: Checks): Promise<void> {
    const [first, second] = this.latest;
    const { older, unseen, added } = this;
    const upsert = (entry: Entry, changed: object = {}): Change => ({ upsert: uid, entry: { ...entry, ...changed } });
    const byAuthor = this.latest.filter(({ author }) => author === first.author).map(pathOf);
    const author = this.#lectern.entries('author').find(({ documentId }) => documentId === first.author)!;
    const category = this.#lectern.entries('category')[0];
    const many = this.#all.slice(0, 1300).map((entry) => upsert(entry, { rating: 1.5 }));

    const edits: [what: string, changes: Change[] | null, expected: readonly string[]][] = [
      ['the title of a listed article', [upsert(first, { title: 'Edited once' })], [home, pathOf(first)]],
      ['the rating of a listed article', [upsert(second, { rating: 2.5 })], [home, pathOf(second)]],
      ['the title of an older article', [upsert(older, { title: 'Edited, too' })], [pathOf(older)]],
      ['the name of an author', [{ upsert: 'api::author.author', entry: { ...author, name: 'Ada' } }], byAuthor],
      ['the title of an article on no page', [upsert(unseen, { title: 'Nobody sees this' })], []],
      ['a category', [{ upsert: 'api::category.category', entry: { ...category, name: 'Other' } }], []],
      ['an article is published', [upsert(added)], [home, pathOf(added)]],
      ['an article is deleted', [{ delete: uid, documentId: added.documentId }], [home, pathOf(added)]],
      ['1,300 articles at once', many, this.existing],
      ['a reload, which gives no tags', null, this.existing],
    ];
    for (const [what, changes, expected] of edits) {
      const milliseconds = changes ? await this.#lectern.change(changes) : await this.#lectern.reload();
      const remade = await pages.remade();
      checks.equal(`${what}: ${remade.length} pages made again, told in ${milliseconds} ms`, remade, expected);
      if (changes === edits[0][1]) {
        checks.holds('the first page shows the title', pages.at(home).text.includes('Edited once'));
        checks.holds('the article shows the title', pages.at(pathOf(first)).text.includes('Edited once'));
      }
      if (changes === edits[6][1]) checks.equal('the page that was missing', pages.at(pathOf(added)).status, 200);
      const again = await pages.remade();
      checks.equal('  pages made at the second visit', again, []);
    }
  }
}
