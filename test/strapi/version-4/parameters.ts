/** The other parameters of articles, as query strings, alone and beside others. */

export const sorts = [
  'sort=title',
  'sort=title:desc',
  'sort=title:DESC',
  'sort=rating,title:desc',
  'sort[0]=kind&sort[1]=id:desc',
  'sort[title]=desc',
  'sort[0][rating]=asc&sort[1][title]=desc',
  'sort=rating:desc,id',
  'sort=author.name,id',
  'sort[author][name]=desc&sort[id]=asc',
  'sort=seo.title,id',
  'sort=id:desc',
  'sort=publishedAt:desc',
  'sort=pinned,id',
  'sort=day,id',
  'sort=serial:desc',
  'sort=locale,id&locale=all',
];

export const wrongSorts = ['sort=nope', 'sort=title:up', 'sort=secret', 'sort=author', 'sort=policy.name', 'sort='];

export const pages = [
  'pagination[page]=2&pagination[pageSize]=3',
  'pagination[pageSize]=2',
  'pagination[page]=9',
  'pagination[page]=0',
  'pagination[pageSize]=0',
  'pagination[pageSize]=1000',
  'pagination[pageSize]=-1',
  'pagination[start]=2&pagination[limit]=3',
  'pagination[limit]=2',
  'pagination[start]=4',
  'pagination[limit]=-1',
  'pagination[limit]=0',
  'pagination[limit]=1000',
  'pagination[withCount]=false',
  'pagination[withCount]=true&pagination[pageSize]=1',
  'pagination[start]=1&pagination[limit]=1&pagination[withCount]=false',
  'pagination[withCount]=maybe',
  'pagination[page]=1&pagination[start]=0',
  'page=1&pageSize=2',
  'limit=2',
];

export const fields = [
  'fields=title',
  'fields=title,slug',
  'fields[0]=title&fields[1]=rating',
  'fields=*',
  'fields=id',
  'fields=nope',
  'fields=secret',
  'fields=author',
  'fields=title&populate=author',
  'fields=locale',
  'fields=publishedAt',
];

export const states = [
  'publicationState=live',
  'publicationState=preview',
  'publicationState=preview&locale=all',
  'publicationState=live&locale=all',
  'publicationState=preview&populate=localizations',
  'publicationState=live&populate=localizations',
  'publicationState=preview&populate=*',
  'publicationState=preview&populate=author.articles',
  'publicationState=preview&populate=categories',
  'publicationState=live&populate=categories',
  'publicationState=preview&filters[publishedAt][$null]=true',
  'publicationState=preview&filters[categories][name]=Unpublished',
  'publicationState=preview&filters[title][$contains]=a&sort=title',
  'filters[categories][name]=Unpublished',
  'filters[related][title]=salt',
];

export const locales = [
  'locale=en',
  'locale=fr',
  'locale=de',
  'locale=all',
  'locale=nope',
  'locale=fr&populate=localizations',
  'locale=de&populate[localizations][fields]=title',
  'locale=all&fields=title,locale',
  'locale=fr&populate=*',
  'locale=fr&filters[title][$contains]=a',
  'locale=all&filters[title][$contains]=fr&populate=localizations',
];

export const searches = ['_q=bread', '_q=BREAD', '_q=a', '_q=100', '_q=under_', '_q=nothing', '_q=4', '_q='];

/** For one article. */
export const one = [
  '',
  '?populate=*',
  '?populate=author',
  '?populate[blocks][populate]=*',
  '?populate=localizations',
  '?fields=title',
  '?fields=title&populate[cover][fields]=url',
  '?locale=fr',
  '?publicationState=preview',
  '?populate=author.articles',
  '?populate=categories',
  '?populate=nope',
  '?fields=nope',
];
