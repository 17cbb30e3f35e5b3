import { createClient, type Entry } from 'lectern/client';
import type { Articles, Schema } from './demo.ts';

/** Queries that must compile, and what their replies hold. They are never run. */

const client = createClient<Schema>({ url: 'http://127.0.0.1:1337/api' });

/** Compiles only if the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

export async function accepted(): Promise<void> {
  const { data } = await client.find('articles', {
    fields: ['title', 'views', 'kind'],
    populate: {
      author: { fields: ['name'], populate: { team: true } },
      categories: { count: true },
      related: { filters: { title: { $contains: 'x' } }, fields: ['slug'], sort: { author: { name: 'asc' } } },
      seo: { populate: { social: { fields: ['network'] } } },
      cover: false,
    },
  });
  const [article] = data;
  same<typeof article.title, string>(true);
  same<typeof article.views, string | null>(true);
  same<typeof article.id, number>(true);
  same<typeof article.documentId, string>(true);
  same<typeof article.categories, { count: number }>(true);
  same<(typeof article.related.data)[0]['slug'], string>(true);
  same<NonNullable<typeof article.author>['name'], string>(true);
  const team: string | undefined = article.author?.team?.name;
  const network: 'bluesky' | 'mastodon' | undefined = article.seo?.social[0].network;

  const paths = await client.find('articles', {
    populate: ['author.team', 'categories', 'parts.image'],
    sort: ['author.name:desc', 'title', 'seo.metaTitle:asc'],
    filters: {
      author: { team: { name: { $startsWithi: 'a' } }, $or: [{ stars: { $gte: 4 } }, { name: { $null: true } }] },
      $or: [{ title: 'x' }, { $not: { reading: { $gt: 3 } } }],
      kind: ['essay', 'guide'],
      premium: true,
      figures: { $notNull: true },
      categories: 3,
      places: [1, 2],
      correctedAt: { $lt: new Date() },
      views: { $gt: 9007199254740993n },
      lead: null,
      title: { $contains: 'a', $not: { $endsWith: 'b' } },
    },
    locale: 'de',
    pagination: { start: 0, limit: 10, withCount: false },
    _q: 'x',
  });
  for (const part of paths.data[0].parts) {
    if (part.__component === 'block.quote') same<typeof part.text, string>(true);
    if (part.__component === 'block.picture') same<NonNullable<typeof part.image>['id'], number>(true);
  }

  const zones = await client.find('articles', {
    populate: { parts: { on: { 'block.quote': { populate: ['person'] }, 'block.note': true } } },
    status: 'draft',
  });
  const [draft] = zones.data;
  same<typeof draft.title, string | null>(true);
  same<typeof draft.documentId, string>(true);
  for (const part of draft.parts) {
    if (part.__component === 'block.quote') same<typeof part.text, string | null>(true);
    else same<typeof part.__component, 'block.note'>(true);
  }

  const star = await client.find('articles', { populate: '*', fields: '*' });
  same<(typeof star.data)[0]['places'][0]['city'], string>(true);
  const home = await client.find('homepage', { populate: { featured: { fields: ['title'] } } });
  same<typeof home.data.heading, string>(true);
  same<typeof home.data.featured, { id: number; documentId: string; title: string }[]>(true);
  const one = await client.findOne('articles', 'x', { populate: 'author', locale: 'fr' });
  const name: string | undefined = one.data.author?.name;
  const marked = await client.find('bookmarks', {
    populate: {
      target: { on: { 'api::article.article': { fields: ['title'] }, 'api::place.place': true } },
      shelf: true,
    },
  });
  const [{ target, shelf }] = marked.data;
  if (target?.__type === 'api::article.article') same<typeof target.title, string>(true);
  same<(typeof shelf)[0]['__type'], string>(true);
  const count: number = await client.count('articles', { filters: { title: 'x' }, status: 'published' });
  void [team, network, name, count];
}

/** A type of an entry as a query returns it, for the parts of a page. */
type Card = Entry<Articles, { fields: ['title']; populate: { author: { fields: ['name'] } } }>;
same<
  Card,
  { id: number; documentId: string; title: string; author: { id: number; documentId: string; name: string } | null }
>(true);
same<Entry<Articles, { fields: ['lead']; status: 'draft' }>, { id: number; documentId: string; lead: string | null }>(
  true,
);
