const populated = '/api/articles?populate[author][populate][0]=team&populate[categories]=true&sort=id';

/**
 * A file of URLs with which a Strapi of so many entries is measured: populated pages, one of them far inside the list.
 * Of 100,000 entries none that is listed has localizations in two other locales, whose order Strapi leaves open.
 */
export function urlsFor(entries: number): string {
  return `# author with team, categories
${populated}&pagination[page]=${Math.ceil(entries / 500)}
# everything
/api/articles?populate=*&pagination[pageSize]=25
# everything, filtered through two relations
/api/articles?filters[author][team][league][$eq]=Aurora&sort=rating:desc&populate=*
`;
}
