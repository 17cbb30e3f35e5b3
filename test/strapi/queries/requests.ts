import qs from 'qs';
import type { Random } from '../random.ts';
import type { Content, Type } from './content.ts';
import { randomFilter } from './filters.ts';
import { addMistake } from './mistakes.ts';
import { randomOtherRequest } from './others.ts';
import { randomFields, randomPopulate } from './populates.ts';
import type { Query, QueryContext, Request } from './query-context.ts';
import { randomSort } from './sorts.ts';

/** Callers by how often they ask. */
const callers = Object.entries({ public: 44, member: 14, reader: 10, some: 12, guest: 10, full: 10 });

/** One request; about one in six holds a mistake. */
export function randomRequest(random: Random, content: Content): Request {
  const context: QueryContext = { random, content };
  const caller = randomCaller(random);
  if (random.chance(12)) return randomOtherRequest(context, caller);
  const type = randomType(context, caller);
  const { singularName, pluralName } = type.info;
  const query = randomQuery(context, type);
  const wrong = random.chance(15) ? addMistake(context, type, query) : '';
  const headers = random.chance(3) ? { 'strapi-response-format': 'v4' } : undefined;
  const finish = (kind: string, path: string): Request => ({
    kind: `${kind}${wrong ? ` with ${wrong}` : ''}${headers ? ' in v4 format' : ''}`,
    caller,
    path: `/api/${path}${spell(random, query)}`,
    headers,
  });
  if (type.kind === 'singleType') return finish('single', singularName!);
  if (random.chance(12)) {
    // a document takes no page and no order, but they may be asked for
    if (random.chance(90)) for (const name of ['sort', 'pagination']) delete query[name];
    if (random.chance(80)) delete query.filters;
    const documentId = random.chance(92) ? random.pick(content.values(type.uid, 'documentId')) : 'nowhere';
    return finish('document', `${pluralName}/${documentId}`);
  }
  return finish('collection', pluralName!);
}

/** Callers who may read little ask mostly for that. */
function randomType({ random, content }: QueryContext, caller: string): Type {
  if ((caller === 'some' || caller === 'guest') && random.chance(85)) {
    return content.type(random.pick(['api::exhibit.exhibit', 'api::artist.artist']));
  }
  return random.pick(content.routed);
}

function randomCaller(random: Random): string {
  let left = random.integer(1, 100);
  for (const [name, share] of callers) if ((left -= share) <= 0) return name;
  return 'public';
}

function randomQuery(context: QueryContext, type: Type): Query {
  const { random } = context;
  const query: Query = {};
  if (random.chance(55)) query.filters = randomFilter(context, type, random.pick([0, 1, 1, 2, 3]));
  if (random.chance(50)) query.sort = randomSort(context, type);
  if (random.chance(45)) query.fields = randomFields(context, type);
  if (random.chance(55)) query.populate = randomPopulate(context, type, random.pick([0, 1, 1, 2]));
  if (random.chance(50)) query.pagination = randomPagination(random);
  if (random.chance(22)) query.status = random.pick(['draft', 'draft', 'draft', 'published', 'all']);
  const isLocalized = type.pluginOptions?.i18n?.localized === true;
  if (random.chance(isLocalized ? 45 : 8)) query.locale = random.pick(['en', 'fr', 'fr', 'de', '*', '*', 'xx', '']);
  if (random.chance(5))
    query._q = random.pick(['a', 'É', 'öl', '%', '7', '3.5', '_', 'b_a', 'en', 'exhibit', '1984', '', '  ']);
  if (random.chance(2)) query.publicationFilter = random.pick(publicationFilters);
  if (random.chance(2)) query.hasPublishedVersion = random.pick(['true', 'true', 'false', true, 'x']);
  return query;
}

const publicationFilters = [
  'never-published',
  'never-published-document',
  'modified',
  'unmodified',
  'has-published-version',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
  'nothing',
];

function randomPagination(random: Random): Query {
  const pagination: Query = {};
  if (random.chance(60)) {
    if (random.chance(70)) pagination.page = random.pick([1, 1, 2, 3, 0, -1, 99]);
    if (random.chance(80)) pagination.pageSize = random.pick([1, 3, 5, 10, 0, -1, 100, 1000]);
  } else {
    if (random.chance(80)) pagination.start = random.pick([0, 1, 4, 50]);
    if (random.chance(80)) pagination.limit = random.pick([1, 3, 5, 10, -1, 0, 100, 1000]);
  }
  if (random.chance(20)) pagination.withCount = random.pick([true, false, 't', 'f', '1', '0']);
  return pagination;
}

/** The query string, in one of the spellings that mean the same; `?` included. */
export function spell(random: Random, query: Query): string {
  return qs.stringify(query, {
    addQueryPrefix: true,
    strictNullHandling: true,
    encodeValuesOnly: random.chance(70),
    arrayFormat: random.chance(90) ? 'indices' : 'brackets',
  });
}
