/** Queries with many repeated parts, and queries whose time is most out of proportion to their cost. */

const letters = 'abcdefghijklmnopqrstuvwxyz';
const two = (i: number) => String(i).padStart(2, '0');

/** `count` conditions on one path, any of which may hold. */
const any = (count: number, path: string, operator: string, value: (i: number) => string): string =>
  `articles?fields=id&${Array.from({ length: count }, (_, i) => `filters[$or][${i}]${path}[${operator}]=${value(i)}`).join('&')}`;

export const costlyQueries: Record<string, string> = {
  'a hundred searches in datetimes': any(100, '[createdAt]', '$contains', two),
  'a few searches in datetimes': any(2, '[createdAt]', '$contains', two),
  'a hundred searches in dates': any(100, '[publishedOn]', '$contains', two),
  'a few searches in dates': any(5, '[publishedOn]', '$contains', two),
  'a hundred searches in 64-bit integers': any(100, '[views]', '$contains', two),
  'a few searches in 64-bit integers': any(5, '[views]', '$contains', two),
  'a hundred searches in whole numbers': any(100, '[id]', '$contains', two),
  'a few searches in whole numbers': any(3, '[id]', '$contains', two),
  'a hundred times two letters': any(100, '[title]', '$containsi', (i) => letters[i % 26] + letters[(i * 7) % 26]),
  'ten times two letters': any(10, '[lead]', '$containsi', (i) => letters[i] + letters[i * 2]),
  'a hundred times one letter': any(100, '[title]', '$containsi', (i) => letters[i % 26]),
  'ten times one letter': any(10, '[title]', '$containsi', (i) => letters[i]),
  'rare capitals': any(4, '[lead]', '$contains', (i) => 'ZQXJ'[i]),
  'letters at the end': any(99, '[title]', '$endsWith', (i) => letters[i % 26]),
  'some letters at the end': any(20, '[title]', '$endsWith', (i) => letters[i]),
  'nothing related, or a null': any(20, '[related][title]', '$null', () => 'true'),
  'names of authors': any(50, '[author][name]', '$containsi', (i) => letters[i % 26]),
  'gaps at both ends': 'articles?fields=id&_q=_o_r_',
  'a gap between letters': 'articles?fields=id&_q=a_e',
  'gaps in numbers': 'articles?fields=id&_q=1_1',
  'a digit anywhere': 'articles?fields=id&_q=5',
  'sorted over three hops to many': 'articles?fields=id&sort=categories.articles.categories.name',
  'sorted over three hops to few': 'articles?fields=id&sort=related.related.related.title',
  'sorted over two hops to few': 'articles?fields=id&sort=related.related.title',
  'few, sorted by what many have': 'categories?fields=id&sort=articles.title,articles.lead,articles.slug',
  'few, sorted by one name again and again': `categories?fields=id&sort=${Array(3000).fill('rank').join(',')}`,
  'many small entries': 'categories?populate[articles][fields]=title&pagination[pageSize]=20',
  'a long sort': `categories?sort=${'parent.'.repeat(2300)}name`,
};
