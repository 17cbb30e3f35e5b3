/** The routes of Strapi's plugins, and paths that lead nowhere. */

import { randomFilter } from './filters.ts';
import { randomFields, randomPopulate } from './populates.ts';
import type { Query, QueryContext, Request } from './query-context.ts';
import { spell } from './requests.ts';
import { randomSort } from './sorts.ts';

const fileType = 'plugin::upload.file';
const userType = 'plugin::users-permissions.user';

export function randomOtherRequest(context: QueryContext, caller: string): Request {
  const { random, content } = context;
  const query = (uid: string) => spell(random, randomQuery(context, uid));
  const id = (uid: string) => random.pick([...content.values(uid, 'id'), 0, 999, 'abc', '1.5', '-1']);
  const ask = (kind: string, path: string): Request => ({ kind, caller, path: `/api/${path}` });
  switch (random.integer(1, 20)) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return ask('files', `upload/files${query(fileType)}`);
    case 6:
    case 7:
    case 8:
      return ask('file', `upload/files/${id(fileType)}${query(fileType)}`);
    case 9:
    case 10:
    case 11:
    case 12:
      return ask('users', `users${query(userType)}`);
    case 13:
      return ask('user', `users/${id(userType)}${query(userType)}`);
    case 14:
    case 15:
      return ask('me', `users/me${query(userType)}`);
    case 16:
      return ask('user count', `users/count${query(userType)}`);
    case 17:
      return ask(
        'locales',
        `i18n/locales${random.chance(50) ? '?sort=code:desc&pagination[limit]=1&fields=code' : ''}`,
      );
    case 18:
      return ask('roles', `users-permissions/roles${random.pick(['', '', '/1', '/2', '/99'])}`);
    default:
      return ask('nowhere', random.pick(nowhere));
  }
}

const nowhere = [
  'nothing',
  'exhibit',
  'exhibits/',
  'exhibits/a/b',
  'visits',
  'visit-pages',
  'visit/abc',
  'tags/1',
  'upload',
  'upload/folders',
  'users/me/1',
  'i18n',
  'Exhibits',
  '',
];

function randomQuery(context: QueryContext, uid: string): Query {
  const { random, content } = context;
  const type = content.type(uid);
  const query: Query = {};
  if (random.chance(45)) query.filters = randomFilter(context, type, random.pick([0, 0, 1]));
  if (random.chance(40)) query.sort = randomSort(context, type);
  if (random.chance(40)) query.fields = randomFields(context, type);
  if (random.chance(30)) query.populate = randomPopulate(context, type, 1);
  if (random.chance(20)) query.pagination = random.pick([{ pageSize: 2 }, { start: 1, limit: 2 }, { page: 2 }]);
  if (random.chance(10)) query[random.pick(['limit', 'start', 'page', 'pageSize'])] = random.pick([1, 2, -1, 'x']);
  if (random.chance(5)) query._q = random.pick(['a', '1', 'png', 'É']);
  if (random.chance(5)) query.locale = random.pick(['en', 'fr', '*']);
  return query;
}
