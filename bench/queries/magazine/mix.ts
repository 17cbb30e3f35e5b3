import { query } from '../../query.ts';
import { kinds } from './drawing.ts';

const recent = 'kind = :kind and updatedAt > :after';
const fewStars = 'author_id in (select id from author where stars < 2)';

export const mix = query({
  name: 'mix',
  content: 'magazine',
  label: 'and, or, not',
  title: 'or(and(kind, updated after), not(author.stars >= 2)), sorted by title',
  draw: (random, rows) => ({
    kind: random.pick(kinds(rows)),
    after: random.pick(rows.type('article')).updatedAt as string,
  }),
  find: ({ kind, after }) => ({
    type: 'article',
    where: {
      or: [
        {
          and: [
            { path: ['kind'], operator: 'eq', value: kind },
            { path: ['updatedAt'], operator: 'gt', value: after },
          ],
        },
        { not: { path: ['author', 'stars'], operator: 'gte', value: 2 } },
      ],
    },
    sort: [{ path: ['title'] }],
  }),
  tuned: {
    setup: `create index if not exists mix_page on article (title, id, kind, updatedAt, author_id);
      create index if not exists mix_count on article (kind, updatedAt, author_id);
      create index if not exists article_author on article (author_id);
      create index if not exists author_stars on author (stars)`,
    ids: `select id from article indexed by mix_page where (${recent}) or ${fewStars} order by title, id`,
    // counts the two sides of the `or`, less what satisfies both
    count: `select
      (select count(*) from article indexed by mix_count where ${recent}) +
      (select count(*) from article indexed by article_author where ${fewStars}) -
      (select count(*) from article indexed by mix_count where ${recent} and ${fewStars})`,
  },
});
