import type { Request, Role } from '../naive/snapshot.ts';
import type { Type } from '../naive/types.ts';
import { type Query, randomFilter } from './filters.ts';
import { addMistake } from './mistakes.ts';
import { randomFields, randomPopulate } from './populates.ts';
import type { QueryContext } from './query-context.ts';
import { randomSort } from './sorts.ts';

/** One read of a content type, about one in ten of them invalid or forbidden. */
export function randomRequest(context: QueryContext, roles: Role[]): Request {
  const { random, world } = context;
  const types = Object.values(world.types).filter((type) => type.uid.startsWith('api::'));
  const type = random.pick(types);
  const single = type.kind === 'singleType';
  const request: Request = { name: single ? type.singularName : type.pluralName, query: {} };
  if (roles.length > 0 && random.chance(50)) request.role = random.pick(roles).type;
  if (!single && random.chance(10)) {
    const documents = world.rows[type.uid]!.map((row) => row.documentId!);
    request.documentId = documents.length > 0 && random.chance(90) ? random.pick(documents) : 'missing';
  }
  const { query } = request;
  if (random.chance(25)) query.status = random.pick(['draft', 'draft', 'published']);
  if (random.chance(type.localized ? 45 : 10)) query.locale = random.pick(['en', 'en', 'fr', 'de', '*', '*', 'xx']);
  if (context.uses('fallbackLocale', type.localized ? 50 : 25)) {
    query.fallbackLocale = randomFallbacks(context);
    if (random.chance(80)) query.locale = random.pick([...world.locales, ...world.locales, undefined]);
    if (query.locale === undefined) delete query.locale;
  }
  if (context.uses('languageAware', 40)) {
    query.language = random.chance(5)
      ? 'no such language'
      : random.pick(['de', 'de', 'sv', 'es', 'cs', 'en-US', 'de-u-co-phonebk']);
  }
  if (random.chance(30)) query.fields = randomFields(context, type);
  const populate = random.chance(55) ? randomPopulate(context, type, 2) : undefined;
  if (populate !== undefined) query.populate = populate;
  if (single || request.documentId !== undefined) return request;
  fillCollectionQuery(context, type, query);
  if (random.chance(11)) addMistake(context, type, request);
  return request;
}

/** One locale or several, as text or as a list. */
function randomFallbacks({ random, world }: QueryContext): unknown {
  if (random.chance(6)) return random.pick(['xx', '*', 'en,xx']);
  const locales = random.some([...world.locales], 1, 3);
  return random.chance(60) ? locales.join(',') : locales;
}

function fillCollectionQuery(context: QueryContext, type: Type, query: Query): void {
  const { random } = context;
  if (random.chance(75)) {
    const filter = () => randomFilter(context, type, random.pick([0, 1, 1, 2, 3, 4]));
    query.filters = random.chance(97) ? filter() : [filter(), filter()];
  }
  if (random.chance(45)) query.sort = randomSort(context, type);
  if (random.chance(35)) query.pagination = randomPagination(context);
}

function randomPagination({ random }: QueryContext): Query {
  const pagination: Query = {};
  if (random.chance(50)) {
    if (random.chance(70)) pagination.page = random.pick([1, 2, 3, '2', 0, -1, 99]);
    if (random.chance(80)) pagination.pageSize = random.pick([1, 2, 3, '5', 0, -1, 100, 1000]);
  } else {
    pagination.start = random.pick([0, 1, 2, '3', 50]);
    if (random.chance(70)) pagination.limit = random.pick([1, 2, 3, '5', -1, 100, 1000]);
  }
  if (random.chance(20)) pagination.withCount = random.pick([true, false, 'true', 'false', '0']);
  return pagination;
}
