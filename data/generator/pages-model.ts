/** The components and types of the pages. */
import { attributes, collection, relation } from './collections.ts';
import { words } from './text.ts';

export const AUDIENCES = words('customers, partners, press, staff, investors, students');
export const TONES = words('plain, formal, warm, technical, playful');
export const REGIONS = words('north, south, east, west, islands, abroad');
export const LAYOUTS = words('wide, narrow, landing, article, index');

const choice = (values: string[]) => ({ type: 'enumeration', enum: values });
const one = (component: string) => ({ type: 'component', component, repeatable: false });
const many = (component: string) => ({ type: 'component', component, repeatable: true });
const zone = (...components: string[]) => ({ type: 'dynamiczone', components });
const component = (name: string, all: object) => ({ info: { displayName: name }, attributes: all });

export const components = {
  'page.link': component('Link', { ...attributes({ string: 'label url', boolean: 'external' }) }),
  'page.network': component('Network', attributes({ string: 'network title', text: 'description' })),
  'page.seo': component('Search engines', {
    ...attributes({ string: 'metaTitle canonical', text: 'metaDescription', boolean: 'noIndex', integer: 'priority' }),
    networks: many('page.network'),
  }),
  'page.hero': component('Hero', { ...attributes({ string: 'heading', text: 'text' }), link: one('page.link') }),
  'page.card': component('Card', { ...attributes({ string: 'heading icon', text: 'text' }), link: one('page.link') }),
  'section.text': component('Text', attributes({ string: 'heading', richtext: 'body' })),
  'section.quote': component('Quote', { ...attributes({ text: 'text' }), person: relation('oneToOne', 'person') }),
  'section.table': component('Table', attributes({ string: 'caption', json: 'rows' })),
  'section.cards': component('Cards', { ...attributes({ string: 'heading' }), cards: many('page.card') }),
  'section.teaser': component('Teaser', { ...attributes({ string: 'heading' }), pages: relation('oneToMany', 'page') }),
  'section.embed': component('Embed', attributes({ string: 'provider', text: 'code', json: 'options' })),
};

export const definitions = {
  person: collection('person', 'people', {
    ...attributes({ string: 'name role city phone', email: 'email', text: 'motto', integer: 'level', date: 'joined' }),
    manager: relation('manyToOne', 'person'),
    pages: relation('oneToMany', 'page', { mappedBy: 'owner' }),
  }),
  tag: collection('tag', 'tags', {
    ...attributes({ string: 'name slug colour', integer: 'weight' }),
    pages: relation('manyToMany', 'page', { mappedBy: 'tags' }),
  }),
  page: collection('page', 'pages', {
    ...attributes({ string: 'title slug navTitle kicker path icon colour source hash externalId' }),
    ...attributes({ text: 'summary note teaser', richtext: 'intro', blocks: 'body', email: 'contact' }),
    ...attributes({ integer: 'weight revision width height readingSeconds', biginteger: 'views' }),
    ...attributes({ decimal: 'priority budget', float: 'score', date: 'reviewedOn embargo', datetime: 'expiresAt' }),
    ...attributes({ time: 'sendAt', boolean: 'inMenu indexable comments sponsored', json: 'settings history' }),
    audience: choice(AUDIENCES),
    tone: choice(TONES),
    region: choice(REGIONS),
    layout: choice(LAYOUTS),
    seo: one('page.seo'),
    hero: one('page.hero'),
    links: many('page.link'),
    sections: zone('section.text', 'section.quote', 'section.table', 'section.cards', 'section.teaser'),
    aside: zone('section.quote', 'section.cards', 'section.embed'),
    owner: relation('manyToOne', 'person', { inversedBy: 'pages' }),
    parent: relation('manyToOne', 'page', { inversedBy: 'children' }),
    children: relation('oneToMany', 'page', { mappedBy: 'parent' }),
    tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
    related: relation('manyToMany', 'page'),
  }),
};
