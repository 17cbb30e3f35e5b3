import { type Style, type StyleModel, to } from './style.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const text = { type: 'string' };

/** Drafts, locales, nested components, custom fields and polymorphic relations. */
const model = {
  types: {
    page: {
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', ...localized },
        level: { type: 'enumeration', enum: ['low', 'mid', 'high'] },
        amount: text,
        day: { type: 'date' },
        flag: { type: 'boolean' },
        big: { type: 'biginteger' },
        price: { type: 'decimal' },
        data: { type: 'json' },
        color: { type: 'customField', customField: 'global::color' },
        rating: { type: 'customField', customField: 'global::rating' },
        body: { type: 'dynamiczone', components: ['block.cards', 'block.old'], ...localized },
        card: { type: 'component', component: 'shared.card', ...localized },
        tags: to('manyToMany', 'tag', { inversedBy: 'pages' }),
        parent: to('manyToOne', 'page', { inversedBy: 'children' }),
        children: to('oneToMany', 'page', { mappedBy: 'parent' }),
        subjects: { type: 'relation', relation: 'morphToMany' },
      },
    },
    tag: {
      draftAndPublish: true,
      attributes: {
        name: text,
        pages: to('manyToMany', 'page', { mappedBy: 'tags' }),
        about: to('morphMany', 'page', { morphBy: 'subjects' }),
      },
    },
    thing: { attributes: { name: text } },
  },
  components: {
    'shared.link': { label: text, to: to('oneToOne', 'page') },
    'shared.card': {
      title: text,
      links: { type: 'component', component: 'shared.link', repeatable: true },
      main: { type: 'component', component: 'shared.link' },
    },
    'block.cards': { cards: { type: 'component', component: 'shared.card', repeatable: true } },
    'block.old': { note: text },
  },
  register: `strapi.customFields.register([{ name: 'color', type: 'string' }, { name: 'rating', type: 'integer' }]);`,
} satisfies StyleModel;

const seed = `
  await strapi.plugin('i18n').service('locales').create({ code: 'fr', name: 'French' });
  const tags = [];
  for (const name of ['red', 'green', 'blue']) {
    tags.push(await d('tag').create({ data: { name }, status: name === 'blue' ? 'draft' : 'published' }));
  }
  const thing = await d('thing').create({ data: { name: 'one' } });
  const root = await d('page').create({ data: { title: 'Root' }, status: 'published' });
  for (let i = 0; i < 6; i++) {
    const links = [{ label: 'L1', to: root.documentId }, { label: 'L2' }];
    const data = {
      title: 'Page ' + i, level: ['low', 'mid', 'high'][i % 3], amount: ['12', 'many', '3.5'][i % 3],
      day: '2024-02-0' + (i + 1), flag: [true, false, null][i % 3], big: '900719925474099' + i, price: 1.25 * i,
      data: [{ a: 1 }, [1, 'x'], 'text', 5, null, true][i], color: '#00' + i, rating: i,
      tags: [tags[i % 3].documentId, tags[(i + 1) % 3].documentId], parent: root.documentId,
      card: { title: 'Card ' + i, links, main: links[0] },
      body: [{ __component: 'block.cards', cards: [{ title: 'In a zone', links }] }, { __component: 'block.old', note: 'n' }],
    };
    const { documentId } = await d('page').create({ data, status: i === 5 ? 'draft' : 'published' });
    if (i % 2) {
      await d('page').update({ documentId, locale: 'fr', data: { title: 'Seite ' + i }, status: 'published' });
      await d('page').update({ documentId, data: { title: 'Changed ' + i } });
    }
    const rows = await strapi.db.query('api::page.page').findMany({ where: { documentId } });
    const subjects = [{ id: thing.id, __type: 'api::thing.thing' }, { id: tags[i % 3].id, __type: 'api::tag.tag' }];
    for (const { id } of rows) await strapi.db.query('api::page.page').update({ where: { id }, data: { subjects } });
  }`;

export const rich: Style = { name: 'rich', model, seed };

const { 'block.old': _, ...components } = model.components;
const { thing: __, page, tag } = model.types;

/** The same after its model has changed: values no longer fit, a component left its zone, a type is gone. */
export const changed: Style = {
  name: 'changed',
  // SQLite keeps text in the column that now holds integers; Strapi serves and exports it as null
  unfiltered: ['amount'],
  model,
  seed,
  changed: {
    ...model,
    components,
    types: {
      tag,
      page: {
        ...page,
        attributes: {
          ...page.attributes,
          level: { type: 'enumeration', enum: ['low', 'top'] },
          amount: { type: 'integer' },
          day: { type: 'datetime' },
          flag: text,
          data: { type: 'text' },
          price: { type: 'integer' },
          body: { ...page.attributes.body, components: ['block.cards'] },
        },
      },
      item: { attributes: { name: text } },
    },
  },
};
