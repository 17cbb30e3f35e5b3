/** The homepage: a single type with a dynamic zone, in three languages and with a draft. */
import { quote, recommendation, seo } from './article-parts.ts';
import { type ContentType, localized, SCHEMAS } from './content-type.ts';
import { DAY, HOUR, iso, LAST_DAY } from './dates.ts';
import { distinct, Random } from './random.ts';
import { anyArticle, anyFile } from './world.ts';

export const homepage: ContentType = {
  singularName: 'homepage',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'singleType',
    info: { singularName: 'homepage', pluralName: 'homepages', displayName: 'Homepage' },
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      heading: { type: 'string', required: true, ...localized },
      tagline: { type: 'text', ...localized },
      banner: { type: 'media', multiple: false, allowedTypes: ['images'] },
      featured: { type: 'relation', relation: 'oneToMany', target: 'api::article.article' },
      seo: { type: 'component', component: 'shared.seo', repeatable: false, ...localized },
      sections: {
        type: 'dynamiczone',
        components: [
          'block.hero',
          'block.recommendation',
          'block.category-strip',
          'block.call-to-action',
          'block.quote',
        ],
        ...localized,
      },
    },
  },
  *entries(world) {
    for (const [index, { locale, status, heading, tagline }] of PAGES.entries()) {
      const random = new Random(world.seed, 'homepage', index);
      const draft = status === 'draft';
      const category = world.categories[index].documentId;
      const action = { __component: 'block.call-to-action', heading: ACTIONS[index] };
      const link = { label: 'The shop', url: 'https://shop.lantern.example', external: index === 0 ? true : null };
      yield {
        id: index + 1,
        documentId: 'homepage',
        status,
        locale,
        createdAt: iso(LAST_DAY - 900 * DAY),
        updatedAt: iso(LAST_DAY - (draft ? 1 : 6) * HOUR),
        publishedAt: draft ? null : iso(LAST_DAY - 6 * HOUR),
        heading,
        tagline,
        banner: draft ? null : anyFile(world, random),
        featured: draft ? [] : distinct(5, () => anyArticle(world, random)),
        seo: draft ? null : seo(world, random, heading),
        sections: draft
          ? []
          : [
              {
                __component: 'block.hero',
                heading,
                article: anyArticle(world, random),
                background: anyFile(world, random),
              },
              recommendation(world, random),
              { __component: 'block.category-strip', category, limit: 6 },
              quote(world, random),
              { ...action, until: iso(LAST_DAY + 40 * DAY), link },
              { __component: 'block.category-strip', category: null, limit: null },
              { __component: 'block.hero', heading: '🏮', article: null, background: null },
              { ...action, until: null, link: null },
            ],
      };
    }
  },
};

const PAGES = [
  {
    locale: 'en',
    status: 'published',
    heading: 'The Lantern Quarterly',
    tagline: 'Slow reports on things that are still there.',
  },
  { locale: 'en', status: 'draft', heading: 'The Lantern Quarterly, relit', tagline: null },
  {
    locale: 'fr',
    status: 'published',
    heading: 'La Lanterne trimestrielle',
    tagline: 'Des reportages lents sur ce qui tient encore debout.',
  },
  {
    locale: 'de',
    status: 'published',
    heading: 'Die Laterne, vierteljährlich',
    tagline: 'Langsame Reportagen über Dinge, die es noch gibt.',
  },
];

const ACTIONS = ['Give a year of light', '', 'Offrez un an de lumière', 'Ein Jahr Licht verschenken'];
