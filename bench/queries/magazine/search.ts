import { query } from '../../query.ts';
import { wordOf } from './drawing.ts';

export const search = query({
  name: 'search',
  content: 'magazine',
  label: '_q over all text',
  title: '_q: a word of 5 letters or more in any text attribute, sorted by id',
  draw: (random, rows) => ({ word: wordOf(random, rows, 5) }),
  find: ({ word }) => ({ type: 'article', search: word, sort: [{ path: ['id'] }] }),
  tuned: {
    setup: `create virtual table text_search using fts5 (text, content = '', detail = 'full', tokenize = 'trigram');
      insert into text_search (rowid, text)
        select id, concat_ws(char(10), title, slug, lead, kind, footnote) from article;
      insert into text_search (text_search) values ('optimize')`,
    ids: `select rowid as id from text_search where text match '"' || :word || '"' order by rowid`,
    count: `select count(*) from text_search where text match '"' || :word || '"'`,
  },
});
