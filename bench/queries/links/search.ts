import { query } from '../../query.ts';

export const linksSearch = query({
  name: 'links-search',
  content: 'links',
  label: '_q over all text',
  title: '_q: a word and the first 3 letters of the next one, sorted by id',
  draw: (random, rows) => {
    const title = (random.pick(rows.type('track')).title as string).toLowerCase();
    return { text: title.slice(0, title.indexOf(' ') + 4) };
  },
  find: ({ text }) => ({ type: 'track', search: text, sort: [{ path: ['id'] }] }),
  tuned: {
    setup: `create virtual table track_search using fts5 (text, content = '', detail = 'full', tokenize = 'trigram');
      insert into track_search (rowid, text) select id, concat_ws(char(10), title, code, mood, "key") from track;
      insert into track_search (track_search) values ('optimize')`,
    ids: `select rowid as id from track_search where text match '"' || :text || '"' order by rowid`,
    count: `select count(*) from track_search where text match '"' || :text || '"'`,
  },
});
