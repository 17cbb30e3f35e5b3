import { query } from '../../query.ts';

export const many = query({
  name: 'many',
  content: 'magazine',
  label: 'many-to-many, range, sorted',
  title: 'in one of 3 categories, reading between, sorted by date, page 3',
  draw: (random, rows) => {
    const slugs = new Set<string>();
    while (slugs.size < 3) slugs.add(random.pick(rows.type('category')).slug as string);
    const from = random.integer(2, 8);
    return { slugs: [...slugs], from, to: from + random.integer(3, 9) };
  },
  find: ({ slugs, from, to }) => ({
    type: 'article',
    where: {
      and: [
        { path: ['categories', 'slug'], operator: 'in', value: slugs },
        { path: ['reading'], operator: 'between', value: [from, to] },
      ],
    },
    sort: [{ path: ['publishedOn'], descending: true }],
    page: 3,
  }),
  tuned: {
    setup: `create index if not exists many_match on article (id, reading, publishedOn);
      create unique index if not exists category_slug on category (slug)`,
    ids: `select id from article indexed by many_match where id in (
        select owner_id from article_categories
        where target_id in (select id from category where slug in (select value from json_each(:slugs)))
      ) and reading between :from and :to order by publishedOn desc, id`,
  },
});
