import type { RequestListener } from 'node:http';
import { parse } from 'node:querystring';
import type { Express, RequestHandler } from 'express';
import { readRows } from '../content/rows.ts';
import { shaper } from '../content/shape.ts';
import { packaged } from '../packages.ts';
import type { Condition, Find } from '../query.ts';

interface JsonServer {
  create(): Express;
  defaults(options: { logger: boolean; readOnly: boolean }): RequestHandler[];
  router(database: object): RequestHandler & { render: RequestHandler };
}

/** json-server with the scalar attributes of all entries of the types. */
export function jsonServer(snapshot: string, types: string[]): RequestListener {
  const { create, defaults, router } = packaged<JsonServer>('json-server');
  const rows = readRows(snapshot);
  const lists = types.map((type) => [
    rows.schema.type(type).plural,
    rows.type(type).map(shaper(rows.schema, { type })),
  ]);
  const routes = router(Object.fromEntries(lists));
  // the list is sent as Strapi sends it, so that answers can be compared
  routes.render = ({ originalUrl }, response) => {
    const { _page, _limit } = parse(originalUrl.split('?')[1]);
    const [page, pageSize, total] = [_page, _limit, response.getHeader('X-Total-Count')].map(Number);
    const pagination = { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
    response.jsonp({ data: response.locals.data, meta: { pagination } });
  };
  return create()
    .use(defaults({ logger: false, readOnly: true }))
    .use('/api', routes);
}

const suffixes = { eq: '', gte: '_gte', lte: '_lte' };

/** The path of a query in json-server's language. Null if that language lacks what the query needs. */
export function jsonServerPath({ where, sort, page = 1, pageSize = 25, ...find }: Find, plural: string): string | null {
  if (find.fields || find.populate || find.search) return null;
  const parameters = new URLSearchParams();
  for (const condition of where ? parts(where) : []) {
    if (!('path' in condition) || condition.path.length > 1 || !(condition.operator in suffixes)) return null;
    const suffix = suffixes[condition.operator as keyof typeof suffixes];
    parameters.append(condition.path[0] + suffix, String(condition.value));
  }
  if (sort?.some(({ path }) => path.length > 1)) return null;
  if (sort) {
    parameters.set('_sort', sort.map(({ path }) => path[0]).join());
    parameters.set('_order', sort.map(({ descending }) => (descending ? 'desc' : 'asc')).join());
  }
  return `/api/${plural}?${parameters}&_page=${page}&_limit=${pageSize}`;
}

function parts(where: Condition): Condition[] {
  return 'and' in where ? where.and.flatMap(parts) : [where];
}
