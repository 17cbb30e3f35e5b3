import { query } from '../../query.ts';

const searched = `title, slug, navTitle, kicker, path, icon, colour, source, hash, externalId, summary, note, teaser, intro,
  contact, audience, tone, region, layout`;

export const pagesSearch = query({
  name: 'pages-search',
  content: 'pages',
  label: '_q over all text',
  title: '_q: two words of a title in any text attribute, sorted by id',
  draw: (random, rows) => {
    for (;;) {
      const words = (random.pick(rows.type('page')).title as string).toLowerCase().split(' ');
      const start = random.integer(0, words.length - 1);
      const text = words.slice(start, start + 2).join(' ');
      if (/^[a-z]{2,} [a-z]{2,}$/.test(text)) return { text };
    }
  },
  find: ({ text }) => ({ type: 'page', search: text, sort: [{ path: ['id'] }] }),
  tuned: {
    setup: `create virtual table page_search using fts5 (text, content = '', detail = 'full', tokenize = 'trigram');
      insert into page_search (rowid, text) select id, concat_ws(char(10), ${searched}) from page;
      insert into page_search (page_search) values ('optimize')`,
    ids: `select rowid as id from page_search where text match '"' || :text || '"' order by rowid`,
    count: `select count(*) from page_search where text match '"' || :text || '"'`,
  },
});
