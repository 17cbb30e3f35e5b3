/** Fills the Strapi 4 project in the folder that is named on the command line, through Strapi's own services. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fillLocales, fillRoles } from '../fill/people.ts';
import { rolePermissions, tokenText } from './access.ts';

type Data = Record<string, unknown>;

const [folder] = process.argv.slice(2);
const createStrapi = createRequire(join(folder, 'package.json'))('@strapi/strapi');
const strapi = await createStrapi({ appDir: folder, distDir: folder }).load();

const create = (name: string, data: Data): Promise<{ id: number }> => {
  const uid = name.includes('::') ? name : `api::${name}.${name}`;
  return strapi.entityService.create(uid, { data, populate: ['localizations'].filter(() => 'localizations' in data) });
};
const day = (number: number) => `2023-${String(1 + (number % 12)).padStart(2, '0')}-15`;
const instant = (number: number) => `${day(number)}T08:30:00.000Z`;

await fillLocales(strapi, [
  { code: 'fr', name: 'French (fr)' },
  { code: 'de', name: 'German (de)' },
]);
await fillRoles(strapi, rolePermissions);

const service = strapi.service('admin::api-token');
const { id: tokenId } = await service.create({ name: 'full', description: '', type: 'full-access', lifespan: null });
await strapi.db
  .query('admin::api-token')
  .update({ where: { id: tokenId }, data: { accessKey: service.hash(tokenText) } });

const authenticated = await strapi.db
  .query('plugin::users-permissions.role')
  .findOne({ where: { type: 'authenticated' } });
const user = await strapi.plugin('users-permissions').service('user').add({
  username: 'reader',
  email: 'reader@example.com',
  password: 'Almanac-1234',
  provider: 'local',
  confirmed: true,
  blocked: false,
  role: authenticated.id,
});

const files: { id: number }[] = [];
for (const name of ['bread', 'river', 'Äpfel', 'map']) {
  files.push(
    await strapi.db.query('plugin::upload.file').create({
      data: {
        name: `${name}.png`,
        alternativeText: name === 'map' ? null : `A picture of ${name}`,
        width: 640,
        height: 480,
        formats: { thumbnail: { url: `/uploads/thumbnail_${files.length}.png`, width: 64, height: 48, size: 1.5 } },
        hash: `picture_${files.length}`,
        ext: '.png',
        mime: 'image/png',
        size: 12.5,
        url: `/uploads/picture_${files.length}.png`,
        provider: 'local',
        folderPath: '/',
      },
    }),
  );
}

const authors: { id: number }[] = [];
for (const [i, name] of ['Ada', 'Bruno', 'Čeněk', 'Dora'].entries()) {
  const avatar = i < 2 ? files[i].id : null;
  authors.push(
    await create('author', { name, email: `${i}@example.com`, born: i === 3 ? null : `19${70 + i}-02-03`, avatar }),
  );
}
const policy = await create('policy', { name: 'closed' });
const categories: { id: number }[] = [];
for (const [i, name] of ['Kitchen', 'Garden', 'River', 'Unpublished'].entries()) {
  const parent = i > 0 ? categories[0].id : null;
  const publishedAt = name === 'Unpublished' ? null : instant(i);
  categories.push(await create('category', { name, place: i, parent, publishedAt }));
}

const words = ['Bread', 'Öl', 'salt', 'Water', 'honey', 'under_score', '100%', 'Zebra', 'apple', 'Tea'];
const kinds = ['essay', 'report', 'letter', null];
const link = (label: string) => ({ label, url: `https://example.com/${encodeURIComponent(label)}` });
const articles: { id: number }[] = [];
for (const [i, word] of words.entries()) {
  const shared = {
    slug: `article-${i}`,
    rating: i === 4 ? null : i % 5,
    price: i === 5 ? null : i * 2.5,
    ratio: i / 4,
    serial: String(9007199254740000n + BigInt(i)),
    pinned: i % 3 === 0 ? null : i % 2 === 0,
    kind: kinds[i % 4],
    day: i === 6 ? null : day(i),
    opensAt: i === 7 ? null : `0${i % 10}:15:00.000`,
    seenAt: i === 8 ? null : instant(i),
    extra: i % 2 === 0 ? { colour: word, list: [1, 'two'] } : null,
    contact: `contact${i}@example.com`,
    secret: 'a secret',
    author: i === 9 ? null : authors[i % 3].id,
    categories: categories.filter((_, place) => (i + place) % 2 === 0).map(({ id }) => id),
    related: articles.slice(-2).map(({ id }) => id),
    policy: i === 0 ? policy.id : null,
    editor: i % 4 === 0 ? user.id : null,
    cover: i % 3 === 0 ? files[i % 4].id : null,
    gallery: i % 2 === 0 ? [files[3].id, files[i % 3].id] : [],
  };
  const ofLocale = (language: string) => ({
    title: language === 'en' ? word : `${word} (${language})`,
    body: `About **${word}** in ${language}`,
    seo:
      i % 4 === 3
        ? null
        : {
            title: `${word} seo`,
            image: files[i % 4].id,
            canonical: link(word),
            more: i % 2 === 0 ? [link(`${word} 1`), link(`${word} 2`)] : [],
            author: authors[i % 4].id,
          },
    links: Array.from({ length: i % 3 }, (_, number) => link(`${language} ${number}`)),
    blocks: [
      { __component: 'block.quote', text: `${word}, they say`, source: i % 2 === 0 ? 'someone' : null },
      { __component: 'block.pictures', caption: word, files: [files[0].id, files[i % 4].id] },
      { __component: 'block.promo', article: articles.at(-1)?.id ?? null, link: link('promo') },
    ].slice(0, i % 4),
  });
  const isDraft = i === 2 || i === 7;
  const publishedAt = isDraft ? null : instant(i);
  const first = await create('article', { ...shared, ...ofLocale('en'), locale: 'en', publishedAt });
  articles.push(first);
  const others = [first.id];
  for (const locale of ['fr', 'de'].slice(0, i % 3)) {
    // the French row of the second article is a draft beside a published English one
    const date = locale === 'fr' && i === 1 ? null : publishedAt;
    const data = { ...shared, ...ofLocale(locale), slug: `article-${i}-${locale}`, locale, publishedAt: date };
    others.push((await create('article', { ...data, localizations: [...others] })).id);
  }
}
// an article that exists in French only
await create('article', { title: 'Seulement', slug: 'seulement', locale: 'fr', publishedAt: instant(3) });

await create('note', {
  text: 'about two',
  subject: { id: authors[0].id, __type: 'api::author.author' },
  about: [articles[0], articles[1]].map(({ id }) => ({ id, __type: 'api::article.article' })),
});
await create('note', {
  text: 'about one and an author',
  about: [
    { id: articles[0].id, __type: 'api::article.article' },
    { id: authors[1].id, __type: 'api::author.author' },
  ],
});
await create('note', { text: 'about nothing' });

const home = await create('homepage', {
  heading: 'Welcome',
  hero: { title: 'Hero', image: files[1].id, canonical: link('home') },
  featured: [articles[3].id, articles[0].id, articles[2].id],
  banner: files[2].id,
  locale: 'en',
  publishedAt: instant(1),
});
await create('homepage', { heading: 'Bienvenue', locale: 'fr', localizations: [home.id], publishedAt: instant(2) });
await create('imprint', { text: 'not published', publishedAt: null });

await strapi.destroy();
process.exit(0);
