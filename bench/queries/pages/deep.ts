import { query } from '../../query.ts';

const parents = `select parent.id from person join page as parent on parent.owner_id = person.id
  where person.city = :city and parent.weight >= :weight`;

export const pagesDeep = query({
  name: 'pages-deep',
  content: 'pages',
  label: 'two relations deep, sorted',
  title: 'parent.owner.city, parent.weight at least, sorted by day of review',
  draw: (random, rows) => ({
    city: random.pick(rows.type('person')).city as string,
    weight: random.integer(0, 600_000),
  }),
  find: ({ city, weight }) => ({
    type: 'page',
    where: {
      and: [
        { path: ['parent', 'owner', 'city'], operator: 'eq', value: city },
        { path: ['parent', 'weight'], operator: 'gte', value: weight },
      ],
    },
    sort: [{ path: ['reviewedOn'], descending: true }],
  }),
  tuned: {
    setup: `create index deep_match on page (parent_id, reviewedOn, id);
      create index person_city on person (city)`,
    ids: `select id from page indexed by deep_match where parent_id in (${parents})
      order by reviewedOn desc nulls first, id`,
    count: `select count(*) from page indexed by deep_match where parent_id in (${parents})`,
  },
});
