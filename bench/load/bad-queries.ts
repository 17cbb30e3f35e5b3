/** Permitted queries for which no index is of much use, or whose reply is large. */

const each = (items: string[], part: (item: string, index: number) => string): string => items.map(part).join('&');
const letters = [...'abcdefghijklmnopqrst'];
const lastOf = 'sort=title:desc&pagination[start]=1000000000';

const magazine: Record<string, string> = {
  'a letter in the title, sorted, past the end': `articles?filters[title][$containsi]=e&${lastOf}`,
  'a letter not in the lead, sorted by lead': 'articles?filters[lead][$notContainsi]=z&sort=lead:desc',
  'any of 20 letters in title, lead or footnote': `articles?${each(
    letters,
    (letter, index) => `filters[$or][${index}][${['title', 'lead', 'footnote'][index % 3]}][$containsi]=${letter}`,
  )}`,
  'all of 20 letters in the lead': `articles?${each(
    letters,
    (letter, index) => `filters[$and][${index}][lead][$containsi]=${letter}`,
  )}`,
  'a letter anywhere': 'articles?_q=e&sort=title',
  'a word that is nowhere': 'articles?_q=zzzzqqqq',
  'sorted by four fields': 'articles?sort=kind,premium:desc,rating,title:desc&pagination[page]=100',
  'sorted through three relations': 'articles?sort=author.mentor.team.name:desc,title&pagination[page]=100',
  'sorted through a to-many relation': 'articles?sort=categories.name:desc&pagination[page]=100',
  'articles of the categories of articles of a league':
    'articles?filters[categories][articles][author][team][league][$eq]=Harbour&sort=title',
  'related to what is related to a title': 'articles?filters[related][related][title][$containsi]=a&sort=rating',
  'authors of an article with a letter': 'authors?filters[articles][title][$containsi]=e&sort=name',
  'teams with an article in a category': 'teams?filters[members][articles][categories][name][$containsi]=a',
  'not, and, or over relations': `articles?${each(
    letters.slice(0, 10),
    (letter, index) => `filters[$not][$or][${index}][author][name][$startsWithi]=${letter}`,
  )}&filters[categories][parent][name][$notNull]=true&sort=author.name`,
  'inside components': 'articles?filters[seo][social][title][$containsi]=e&filters[credits][person][stars][$gt]=1',
  'every relation of 100 entries': 'articles?populate=*&pagination[pageSize]=100',
  'the articles of the authors of 100 entries':
    'articles?populate[author][populate][articles][populate]=*&pagination[pageSize]=100',
  'the articles of 100 categories': 'categories?populate[articles][populate]=*&pagination[pageSize]=100',
  'the articles of all categories, sorted':
    'categories?populate[articles][sort]=title&populate[articles][fields]=title&pagination[pageSize]=100',
  'all locales and 100 slugs': `articles?locale=*&${each(
    Array.from({ length: 100 }, (_, index) => `nothing-${index}`),
    (slug, index) => `filters[slug][$in][${index}]=${slug}`,
  )}`,
};

const links: Record<string, string> = {
  'a letter in the title, sorted, past the end': `tracks?filters[title][$containsi]=e&${lastOf}`,
  'any of 20 letters in title, code or mood': `tracks?${each(
    letters,
    (letter, index) => `filters[$or][${index}][${['title', 'code', 'mood'][index % 3]}][$containsi]=${letter}`,
  )}`,
  'a letter anywhere': 'tracks?_q=e&sort=title',
  'sorted by four fields': 'tracks?sort=key,live:desc,mood,title:desc&pagination[page]=100',
  'sorted through three relations': 'tracks?sort=album.artist.label.name:desc,title&pagination[page]=100',
  'sorted through a to-many relation': 'tracks?sort=genres.name:desc&pagination[page]=100',
  'similar to what is similar to a title': 'tracks?filters[similar][similar][title][$containsi]=a&sort=tempo',
  'tracks of genres of tracks of a country': 'tracks?filters[genres][tracks][artist][country][$eq]=PT&sort=title',
  'artists of a track with a letter': 'artists?filters[tracks][title][$containsi]=e&sort=name',
  'every relation of 100 entries': 'tracks?populate=*&pagination[pageSize]=100',
  'the tracks of all genres, sorted':
    'genres?populate[tracks][sort]=title&populate[tracks][fields]=title&pagination[pageSize]=100',
};

const pages: Record<string, string> = {
  'a letter in the title, sorted, past the end': `pages?filters[title][$containsi]=e&${lastOf}`,
  'all of 20 letters in the intro': `pages?${each(
    letters,
    (letter, index) => `filters[$and][${index}][intro][$containsi]=${letter}`,
  )}`,
  'a letter anywhere': 'pages?_q=e&sort=title',
  'a letter inside components':
    'pages?filters[seo][networks][description][$containsi]=e&filters[links][label][$containsi]=a',
  'sorted through components': 'pages?sort=seo.networks.title:desc,links.label&pagination[page]=100',
  'sorted through three relations': 'pages?sort=parent.owner.manager.name:desc,title&pagination[page]=100',
  'related to what is related to a title': 'pages?filters[related][related][title][$containsi]=a&sort=weight',
  'everything of 100 entries': 'pages?populate=*&pagination[pageSize]=100',
  'everything in the zones of 100 entries': 'pages?populate[sections][populate]=*&pagination[pageSize]=100',
};

/** By content, then by title: the path below the prefix. */
export const badQueries: Record<string, Record<string, string>> = { magazine, links, pages };
