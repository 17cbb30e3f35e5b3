import { query } from '../../query.ts';

export const relatedSort = query({
  name: 'related-sort',
  content: 'magazine',
  label: 'sorted through a relation',
  title: 'updated after, sorted by the name of the author, page 2',
  draw: (random, rows) => ({ after: random.pick(rows.type('article')).updatedAt as string }),
  find: ({ after }) => ({
    type: 'article',
    where: { path: ['updatedAt'], operator: 'gt', value: after },
    sort: [{ path: ['author', 'name'] }],
    page: 2,
  }),
  tuned: {
    // the name is copied into the article, as the content is only read
    setup: `alter table article add column authorName text;
      update article set authorName = (select name from author where author.id = author_id);
      create index related_page on article (authorName is null, authorName, id, updatedAt);
      create index related_count on article (updatedAt)`,
    ids: `select id from article indexed by related_page where updatedAt > :after
      order by authorName is null, authorName, id`,
    count: 'select count(*) from article indexed by related_count where updatedAt > :after',
  },
});
