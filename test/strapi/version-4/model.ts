import {
  component,
  componentType,
  contentType,
  localized,
  type Model,
  media,
  morph,
  plain,
  relation,
  zone,
} from '../model/definitions.ts';

/**
 * An almanac: each kind of attribute of Strapi 4, on types with and without drafts, with and without locales. `policy`
 * is closed to the public; of `note` it may read the list and not the single entry.
 */
export const almanac: Model = {
  contentTypes: [
    contentType(
      'article',
      { plural: 'articles', draftAndPublish: true, localized: true },
      {
        title: localized(plain('string')),
        slug: plain('uid'),
        body: localized(plain('richtext')),
        rating: plain('integer'),
        price: plain('decimal'),
        ratio: plain('float'),
        serial: plain('biginteger'),
        pinned: plain('boolean'),
        kind: plain('enumeration', { enum: ['essay', 'report', 'letter'] }),
        day: plain('date'),
        opensAt: plain('time'),
        seenAt: plain('datetime'),
        extra: plain('json'),
        contact: plain('email'),
        secret: plain('string', { private: true }),
        author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
        categories: relation('manyToMany', 'category', { inversedBy: 'articles' }),
        related: relation('manyToMany', 'article'),
        policy: relation('oneToOne', 'policy'),
        editor: relation('manyToOne', 'plugin::users-permissions.user'),
        notes: relation('morphMany', 'note', { morphBy: 'about' }),
        cover: media(false),
        gallery: media(true),
        seo: localized(component('page.seo')),
        links: localized(component('page.link', true)),
        blocks: localized(zone('block.quote', 'block.pictures', 'block.promo')),
      },
    ),
    contentType(
      'author',
      { plural: 'authors' },
      {
        name: plain('string'),
        email: plain('email', { private: true }),
        born: plain('date'),
        avatar: media(false),
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
      },
    ),
    contentType(
      'category',
      { plural: 'categories', draftAndPublish: true },
      {
        name: plain('string'),
        place: plain('integer'),
        articles: relation('manyToMany', 'article', { mappedBy: 'categories' }),
        parent: relation('manyToOne', 'category', { inversedBy: 'children' }),
        children: relation('oneToMany', 'category', { mappedBy: 'parent' }),
      },
    ),
    contentType(
      'note',
      { plural: 'notes' },
      { text: plain('text'), about: morph('morphToMany'), subject: morph('morphToOne') },
    ),
    contentType('policy', { plural: 'policies' }, { name: plain('string') }),
    contentType(
      'homepage',
      { plural: 'homepages', single: true, draftAndPublish: true, localized: true },
      {
        heading: localized(plain('string')),
        hero: localized(component('page.seo')),
        featured: relation('oneToMany', 'article'),
        banner: media(false),
      },
    ),
    contentType('imprint', { plural: 'imprints', single: true, draftAndPublish: true }, { text: plain('text') }),
  ],
  components: [
    componentType('page.link', { label: plain('string'), url: plain('string') }),
    componentType('page.seo', {
      title: plain('string'),
      image: media(false),
      canonical: component('page.link'),
      more: component('page.link', true),
      author: relation('oneToOne', 'author'),
    }),
    componentType('block.quote', { text: plain('text'), source: plain('string') }),
    componentType('block.pictures', { caption: plain('string'), files: media(true) }),
    componentType('block.promo', { article: relation('oneToOne', 'article'), link: component('page.link') }),
  ],
};
