/** What the Strapi 4 is asked: each parameter of its REST API, rightly and wrongly, alone and beside others. */
import type { Random } from '../random.ts';
import { type Caller, callers } from './access.ts';
import { filters, wrongFilters } from './filters.ts';
import { fields, locales, one, pages, searches, sorts, states, wrongSorts } from './parameters.ts';
import { cut, populates, wrongPopulates } from './populates.ts';

export interface Request {
  caller: Caller;
  path: string;
}

const lists: ReadonlySet<string> = new Set(['articles', 'authors', 'categories', 'notes']);

/** Articles in ids by what they are: published, a translation, a draft, a draft translation, and none. */
const articleIds = ['1', '2', '3', '4', '5', '8', '12', '999', '0', 'abc', '1abc'];

export const requests: readonly Request[] = [
  ...['', ...filters, ...populates, ...sorts, ...pages, ...fields].map((query) => asked('articles', query)),
  ...[...states, ...locales, ...searches].map((query) => asked('articles', query)),
  ...[...wrongFilters, ...wrongPopulates, ...wrongSorts].map((query) => asked('articles', query)),
  ...['', 'populate=*', 'populate[articles][fields]=title', 'populate=articles', 'filters[articles][title]=Bread'].map(
    (query) => asked('authors', query),
  ),
  ...['filters[publishedAt][$null]=true', 'fields=publishedAt', 'sort=publishedAt', 'locale=fr', 'sort=name:desc'].map(
    (query) => asked('authors', query),
  ),
  ...['', 'populate=*', 'populate=children,parent', 'publicationState=preview', 'filters[parent][id]=1'].map((query) =>
    asked('categories', query),
  ),
  ...[
    '',
    'populate=*',
    'populate=about',
    'populate[about]=true',
    'populate[about][populate]=*',
    'populate=subject',
    'populate[subject][populate]=*',
  ].map((query) => asked('notes', query)),
  asked('notes', 'populate[about][on][api::article.article][fields]=title'),
  ...[
    '',
    'populate=*',
    'locale=fr',
    'locale=de',
    'locale=all',
    'populate[featured][fields]=title',
    'fields=heading',
  ].map((query) => asked('homepage', query)),
  ...['populate=hero.image,hero.canonical', 'publicationState=preview&populate=featured', 'populate=localizations'].map(
    (query) => asked('homepage', query),
  ),
  ...['', 'publicationState=preview', 'publicationState=live'].map((query) => asked('imprint', query)),
  ...['policies', 'nope', 'homepages', 'article', 'users', 'users/me', 'users/1'].map((route) => asked(route)),
  ...articleIds.map((id) => asked(`articles/${id}`)),
  ...['authors/1', 'authors/2'].map((route) =>
    asked(route, 'populate[articles][limit]=2&populate[articles][sort]=title:desc'),
  ),
  ...cut.map((query) => asked('articles/7', query)),
  ...one.flatMap((query) => ['1', '2'].map((id) => asked(`articles/${id}${query}`))),
  ...['authors/1', 'authors/1?populate=*', 'categories/4', 'notes/1', 'policies/1'].map((route) => asked(route)),
  ...['upload/files', 'upload/files/1', 'upload/files/99', 'upload/files?populate=related'].map((route) =>
    asked(route),
  ),
  ...['upload/files?filters[name]=map.png', 'upload/files?sort=name:desc', 'i18n/locales'].map((route) => asked(route)),
  ...[
    'articles?populate=policy,editor',
    'articles?populate=*',
    'articles?populate[editor][populate]=role',
    'policies',
  ].map((route) => asked(route, '', 'token')),
  ...['articles?filters[policy][name]=closed', 'articles?filters[editor][username]=reader', 'notes/1', 'users'].map(
    (route) => asked(route, '', 'token'),
  ),
  ...['users', 'users/me', 'users/me?populate=role', 'users/me?populate=*', 'users/1', 'users/1?populate=role'].map(
    (route) => asked(route, '', 'user'),
  ),
  ...['users?populate=role', 'users/count', 'users?filters[username]=reader', 'users?fields=username', 'users/99'].map(
    (route) => asked(route, '', 'user'),
  ),
  ...['users-permissions/roles', 'articles?populate=editor', 'policies', 'upload/files'].map((route) =>
    asked(route, '', 'user'),
  ),
];

const combined = [filters, populates, sorts, pages, fields, states, locales, searches];
const combinedRoutes = ['articles', 'articles', 'articles', 'articles/1', 'articles/2', 'articles/4', 'articles/7'];

/** Parameters drawn at random beside each other, none of them given twice. */
export function randomRequest(random: Random): Request {
  const parts = combined.filter(() => random.chance(35)).map((queries) => random.pick(queries));
  const taken = new Set<string>();
  const kept = parts.filter((part) => {
    const names = part.split('&').map((parameter) => parameter.split(/[=[]/)[0]);
    const isFree = names.every((name) => !taken.has(name));
    if (isFree) for (const name of names) taken.add(name);
    return isFree;
  });
  return asked(random.pick(combinedRoutes), kept.join('&'), random.pick(callers));
}

/** A request of a route below `/api`. Lists get an order where they have none, as the database has none of its own. */
function asked(route: string, query = '', caller: Caller = 'public'): Request {
  const [path, own = ''] = route.split('?');
  const order = lists.has(path) && !/(^|&)sort/.test(`${own}&${query}`) ? 'sort=id' : '';
  const text = [own, query, order].filter((part) => part !== '').join('&');
  return { caller, path: encodeURI(`/api/${path}${text && `?${text}`}`) };
}
