/** The differences between the dialects, as shown on the home page. A test compares docs/configuration.md with it. */
export const dialectDifferences: readonly { point: string; document: string; strapi: string }[] = [
  { point: 'to-many relation populated with `filters`', document: '`{"data": […]}`', strapi: 'plain list' },
  { point: 'filter on a media field', document: '400', strapi: "filters by the file's attributes" },
  { point: '`/api/users`', document: 'in the `{data, meta}` envelope', strapi: 'plain list' },
  { point: '`status=draft`', document: 'needs the permission `draft`, otherwise 403', strapi: 'open to every caller' },
  {
    point: '`$not` around a to-many relation',
    document: 'no related entry matches',
    strapi: 'some related entry does not match',
  },
  {
    point: 'filters and sorts through relations, polymorphic relations',
    document: 'only entries with the requested status',
    strapi: 'drafts and published entries',
  },
  { point: 'unknown parameter, invalid `pagination`', document: '400', strapi: 'ignored' },
  { point: 'unknown `status`', document: '400', strapi: 'returns drafts' },
  { point: 'unknown `locale`', document: '400', strapi: 'finds nothing' },
  {
    point: 'booleans other than `true`, `false`, `1`, `0`, `t`, `f`',
    document: '400, except in upper case',
    strapi: 'true',
  },
  { point: '`populate[x]=*`', document: 'populates everything in x', strapi: '400' },
  { point: 'error messages', document: 'name the location, the value and what was expected', strapi: 'as recorded' },
  {
    point: 'populated relations that the caller may not read',
    document: 'left out, and named in `X-Lectern-Omitted`',
    strapi: 'left out',
  },
  { point: 'other quirks of the recorded Strapi', document: 'no', strapi: 'yes' },
];
