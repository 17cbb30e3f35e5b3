import { query } from '../../query.ts';
import { titleSearch, wordOf } from './drawing.ts';

export const contains = query({
  name: 'contains',
  content: 'magazine',
  label: 'text contains',
  title: 'title contains 3 letters in any case, sorted by id',
  draw: (random, rows) => {
    const word = wordOf(random, rows, 3);
    const start = random.integer(0, word.length - 3);
    return { piece: word.slice(start, start + 3) };
  },
  find: ({ piece }) => ({
    type: 'article',
    where: { path: ['title'], operator: 'containsi', value: piece },
    sort: [{ path: ['id'] }],
  }),
  tuned: {
    setup: titleSearch,
    ids: `select rowid as id from title_search where title match '"' || :piece || '"' order by rowid`,
    count: `select count(*) from title_search where title match '"' || :piece || '"'`,
  },
});
