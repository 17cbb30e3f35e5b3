/** What is asked for: the queries, their parameters, and the URL that says the same to a content API. */
export interface Parameters {
  slug: { slug: string };
  two: { premium: boolean; rating: number };
  local: { kind: string; page: number };
  deep2: { league: string; page: number };
  deep3: { league: string; page: number };
  many: { slugs: string[]; from: number; to: number };
  contains: { piece: string };
  page: { page: number };
  mix: { kind: string; rating: number };
}

export type QueryName = keyof Parameters;

/** Entries on a page, in every query. */
export const pageSize = 25;

/** The page that `many` asks for. */
export const manyPage = 3;

interface QueryForm<Name extends QueryName> {
  /** Short enough for the picture. */
  label: string;
  title: string;
  url(parameters: Parameters[Name]): string;
}

const articles = (...parts: string[]): string => `/api/articles?${parts.join('&')}`;
const page = (number: number): string => `pagination[page]=${number}`;

export const queries: { [Name in QueryName]: QueryForm<Name> } = {
  slug: {
    label: 'slug',
    title: 'slug equals',
    url: ({ slug }) => articles(`filters[slug][$eq]=${encodeURIComponent(slug)}`),
  },
  two: {
    label: 'two conditions, sorted',
    title: 'two conditions, sorted by date',
    url: ({ premium, rating }) =>
      articles(`filters[premium][$eq]=${premium}`, `filters[rating][$gte]=${rating}`, 'sort=publishedOn:desc'),
  },
  local: {
    label: 'one field, sorted',
    title: 'one local field, sorted by rating, pages 1-30',
    url: ({ kind, page: number }) => articles(`filters[kind][$eq]=${kind}`, 'sort=rating:desc', page(number)),
  },
  deep2: {
    label: 'two relations deep, sorted',
    title: 'author.team.league, sorted by rating, pages 1-30',
    url: ({ league, page: number }) =>
      articles(`filters[author][team][league][$eq]=${league}`, 'sort=rating:desc', page(number)),
  },
  deep3: {
    label: 'three relations deep, sorted',
    title: 'author.mentor.team.league, sorted by rating, pages 1-30',
    url: ({ league, page: number }) =>
      articles(`filters[author][mentor][team][league][$eq]=${league}`, 'sort=rating:desc', page(number)),
  },
  many: {
    label: 'many-to-many, range, sorted',
    title: 'in one of 3 categories, reading between, sorted by date, page 3',
    url: ({ slugs, from, to }) =>
      articles(
        ...slugs.map((slug, index) => `filters[categories][slug][$in][${index}]=${encodeURIComponent(slug)}`),
        `filters[reading][$between][0]=${from}`,
        `filters[reading][$between][1]=${to}`,
        'sort=publishedOn:desc',
        page(manyPage),
      ),
  },
  contains: {
    label: 'text contains',
    title: 'title contains 3 letters in any case, sorted by id',
    url: ({ piece }) => articles(`filters[title][$containsi]=${encodeURIComponent(piece)}`, 'sort=id'),
  },
  page: {
    label: 'populated page',
    title: 'no filter, page 100-300, author with team, categories',
    url: ({ page: number }) =>
      articles('populate[author][populate][0]=team', 'populate[categories]=true', 'sort=id', page(number)),
  },
  mix: {
    label: 'and, or, not',
    title: 'or(and(kind, rating >), not(author.stars >= 2)), sorted by title',
    url: ({ kind, rating }) =>
      articles(
        `filters[$or][0][$and][0][kind][$eq]=${kind}`,
        `filters[$or][0][$and][1][rating][$gt]=${rating}`,
        'filters[$or][1][$not][author][stars][$gte]=2',
        'sort=title',
      ),
  },
};

export const queryNames = Object.keys(queries) as QueryName[];

/** Queries that the geometric means leave out: `local` is there to be compared with the deep filters. */
export const outsideMeans: readonly QueryName[] = ['local'];
