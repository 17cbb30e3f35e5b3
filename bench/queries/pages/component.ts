import { query } from '../../query.ts';

export const pagesComponent = query({
  name: 'pages-component',
  content: 'pages',
  label: 'inside a component, sorted',
  title: 'seo.priority at least, revision below, sorted by title, with seo',
  draw: (random) => ({ priority: random.integer(1, 95), revision: random.integer(5, 90) }),
  find: ({ priority, revision }) => ({
    type: 'page',
    where: {
      and: [
        { path: ['seo', 'priority'], operator: 'gte', value: priority },
        { path: ['revision'], operator: 'lt', value: revision },
      ],
    },
    sort: [{ path: ['title'] }],
    populate: { seo: {} },
  }),
  tuned: {
    setup: `alter table page add column seoPriority integer;
      update page set seoPriority = json_extract(seo, '$.priority');
      create index component_page on page (title, id, seoPriority, revision);
      create index component_count on page (seoPriority, revision)`,
    ids: `select id from page indexed by component_page where seoPriority >= :priority and revision < :revision
      order by title, id`,
    count: `select count(*) from page indexed by component_count where seoPriority >= :priority and revision < :revision`,
  },
});
