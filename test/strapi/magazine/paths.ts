const populated = '/api/articles?populate[author][populate][0]=team&populate[categories]=true&sort=id';

/**
 * Paths that a Strapi with so many entries is measured with: populated pages, one of them far inside the list. Of
 * 100,000 entries none that is listed has localizations in two other locales, whose order Strapi leaves open.
 */
export function pathsFor(entries: number): string[] {
  return [
    `${populated}&pagination[page]=${Math.ceil(entries / 500)}`,
    '/api/articles?populate=*&pagination[pageSize]=25',
    '/api/articles?filters[author][team][league][$eq]=Aurora&sort=rating:desc&populate=*',
  ];
}
