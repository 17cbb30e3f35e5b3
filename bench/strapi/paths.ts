import { queries } from '../queries/queries.ts';

/**
 * What a Strapi with so many entries is asked for: populated pages, one of them far inside the list. Of 100,000 none of
 * the entries listed has localizations in two more locales, whose order nothing decides.
 */
export function pathsFor(entries: number): string[] {
  return [
    queries.page.url({ page: Math.ceil(entries / 500) }),
    '/api/articles?populate=*&pagination[pageSize]=25',
    '/api/articles?filters[author][team][league][$eq]=Aurora&sort=rating:desc&populate=*',
  ];
}
