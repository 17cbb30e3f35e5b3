/** The component types, by uid. */

interface Component {
  info: { displayName: string };
  attributes: Record<string, object>;
}

const to = (relation: string, target: string) => ({ type: 'relation', relation, target: `api::${target}.${target}` });
const image = { type: 'media', multiple: false, allowedTypes: ['images'] };
const required = { required: true };

export const COMPONENTS: Record<string, Component> = {
  'shared.seo': {
    info: { displayName: 'Search engines' },
    attributes: {
      metaTitle: { type: 'string', maxLength: 60, ...required },
      metaDescription: { type: 'text' },
      noIndex: { type: 'boolean' },
      shareImage: image,
      social: { type: 'component', component: 'shared.social', repeatable: true },
    },
  },
  'shared.social': {
    info: { displayName: 'Social network' },
    attributes: {
      network: { type: 'enumeration', enum: ['mastodon', 'bluesky'], ...required },
      title: { type: 'string' },
      image,
    },
  },
  'shared.link': {
    info: { displayName: 'Link' },
    attributes: {
      label: { type: 'string', ...required },
      url: { type: 'string', ...required },
      external: { type: 'boolean' },
    },
  },
  'shared.credit': {
    info: { displayName: 'Credit' },
    attributes: {
      role: {
        type: 'enumeration',
        enum: ['words', 'pictures', 'drawings', 'research', 'fact-checking'],
        ...required,
      },
      person: to('oneToOne', 'author'),
      note: { type: 'string' },
    },
  },
  'place.geo': {
    info: { displayName: 'Position' },
    attributes: {
      latitude: { type: 'float', min: -90, max: 90, ...required },
      longitude: { type: 'float', min: -180, max: 180, ...required },
      elevation: { type: 'integer' },
    },
  },
  'place.opening-hours': {
    info: { displayName: 'Opening hours' },
    attributes: {
      weekday: {
        type: 'enumeration',
        enum: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
        ...required,
      },
      opens: { type: 'time', ...required },
      closes: { type: 'time' },
      note: { type: 'string' },
    },
  },
  'ledger.line': {
    info: { displayName: 'Invoice line' },
    attributes: {
      description: { type: 'string', ...required },
      quantity: { type: 'integer', ...required },
      price: { type: 'decimal' },
    },
  },
  'block.quote': {
    info: { displayName: 'Quotation' },
    attributes: {
      text: { type: 'text', ...required },
      attribution: { type: 'string' },
      person: to('oneToOne', 'author'),
    },
  },
  'block.picture': {
    info: { displayName: 'Picture' },
    attributes: {
      image,
      caption: { type: 'string' },
      width: { type: 'enumeration', enum: ['column', 'wide', 'full'] },
    },
  },
  'block.gallery': {
    info: { displayName: 'Gallery' },
    attributes: {
      title: { type: 'string' },
      images: { type: 'media', multiple: true, allowedTypes: ['images'] },
    },
  },
  'block.fact': {
    info: { displayName: 'Fact' },
    attributes: { label: { type: 'string', ...required }, value: { type: 'string' } },
  },
  'block.fact-box': {
    info: { displayName: 'Fact box' },
    attributes: {
      heading: { type: 'string' },
      facts: { type: 'component', component: 'block.fact', repeatable: true },
    },
  },
  'block.recommendation': {
    info: { displayName: 'Recommendation' },
    attributes: { heading: { type: 'string' }, articles: to('oneToMany', 'article') },
  },
  'block.places': {
    info: { displayName: 'Places' },
    attributes: { heading: { type: 'string' }, places: to('oneToMany', 'place') },
  },
  'block.embed': {
    info: { displayName: 'Embedded media' },
    attributes: {
      provider: { type: 'enumeration', enum: ['video', 'sound', 'map'], ...required },
      code: { type: 'text', ...required },
      options: { type: 'json' },
    },
  },
  'block.note': {
    info: { displayName: 'Note' },
    attributes: { body: { type: 'richtext' }, signed: { type: 'string' } },
  },
  'block.hero': {
    info: { displayName: 'Hero' },
    attributes: {
      heading: { type: 'string', ...required },
      article: to('oneToOne', 'article'),
      background: image,
    },
  },
  'block.category-strip': {
    info: { displayName: 'Category strip' },
    attributes: { category: to('oneToOne', 'category'), limit: { type: 'integer', min: 1 } },
  },
  'block.call-to-action': {
    info: { displayName: 'Call to action' },
    attributes: {
      heading: { type: 'string', ...required },
      until: { type: 'datetime' },
      link: { type: 'component', component: 'shared.link', repeatable: false },
    },
  },
};
