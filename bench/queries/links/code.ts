import { query } from '../../query.ts';

export const linksCode = query({
  name: 'links-code',
  content: 'links',
  label: 'code',
  title: 'code equals',
  http: 'one entry',
  draw: (random, rows) => ({ code: random.pick(rows.type('track')).code as string }),
  find: ({ code }) => ({ type: 'track', where: { path: ['code'], operator: 'eq', value: code } }),
  tuned: {
    setup: 'create unique index track_code on track (code)',
    ids: 'select id from track where code = :code',
    unique: true,
  },
});
