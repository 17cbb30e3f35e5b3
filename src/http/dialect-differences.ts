/** The differences between the two dialects, as shown on the home page. A test compares the README with this list. */
export const dialectDifferences: readonly { point: string; document: string; strapi: string }[] = [
  {
    point: 'to-many relation populated with `filters`',
    document: '`{"data": […]}`',
    strapi: 'plain list',
  },
  { point: 'filter on a media field', document: '400', strapi: "filters on the file's attributes" },
  { point: '`/api/users`', document: 'in the `{data, meta}` envelope', strapi: 'bare list' },
  { point: '`status=draft`', document: 'takes the permission `draft`, else 403', strapi: 'open to every reader' },
  {
    point: '`$not` around a relation to many',
    document: 'no related entry matches',
    strapi: 'some related entry does not match',
  },
  {
    point: 'filters and sorts through relations, polymorphic relations',
    document: 'see the asked status only',
    strapi: 'see drafts and published rows alike',
  },
  { point: 'unknown root parameter, odd `pagination`', document: '400', strapi: 'ignored' },
  {
    point: 'a `status` or `locale` that does not exist',
    document: '400',
    strapi: 'draft; finds nothing',
  },
  { point: 'booleans other than `true`, `false`, `1`, `0`, `t`, `f`', document: '400, but any case', strapi: 'true' },
  { point: '`populate[x]=*`', document: 'everything in x', strapi: '400' },
  { point: 'errors', document: 'name place, value and what would be right', strapi: 'the recorded texts' },
  {
    point: 'what a caller may not populate',
    document: 'left out, named in `X-Lectern-Omitted`',
    strapi: 'left out',
  },
  {
    point: "quirks of the recorded service's SQL (`src/query/strapi/` has each)",
    document: 'no',
    strapi: 'yes',
  },
];
