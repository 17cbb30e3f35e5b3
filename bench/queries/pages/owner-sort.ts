import { query } from '../../query.ts';

export const pagesOwnerSort = query({
  name: 'pages-owner-sort',
  content: 'pages',
  label: 'sorted through a relation',
  title: 'height at least, sorted by the name of the owner and title, page 2',
  draw: (random) => ({ height: random.integer(200, 8800) }),
  find: ({ height }) => ({
    type: 'page',
    where: { path: ['height'], operator: 'gte', value: height },
    sort: [{ path: ['owner', 'name'] }, { path: ['title'] }],
    page: 2,
  }),
  tuned: {
    // the name is copied into the page, as the content is only read
    setup: `alter table page add column ownerName text;
      update page set ownerName = (select name from person where person.id = owner_id);
      create index owner_page on page (ownerName is null, ownerName, title, id, height);
      create index owner_count on page (height)`,
    ids: `select id from page indexed by owner_page where height >= :height
      order by ownerName is null, ownerName, title, id`,
    count: 'select count(*) from page indexed by owner_count where height >= :height',
  },
});
