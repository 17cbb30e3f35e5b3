import { type Style, to } from './style.ts';

const text = { type: 'string' };

const product = {
  kind: 'collectionType',
  collectionName: 'shop_products',
  info: { singularName: 'product', pluralName: 'products', displayName: 'Product' },
  options: { draftAndPublish: false },
  attributes: { name: text, shelves: to('oneToMany', 'shelf', { mappedBy: 'product' }) },
};

/** A plugin's content type, rows written past the document service, names with a space or a digit, two of one. */
export const plugin: Style = {
  name: 'plugin',
  model: {
    types: {
      shelf: {
        attributes: {
          name: text,
          product: to('manyToOne', 'plugin::shop.product', { inversedBy: 'shelves' }),
          mate: to('oneToOne', 'mate', { inversedBy: 'shelf' }),
          'odd name': text,
          '1st': text,
        },
      },
      mate: { attributes: { name: text, shelf: to('oneToOne', 'shelf', { mappedBy: 'mate' }) } },
      imprint: { kind: 'singleType', attributes: { title: text } },
    },
    files: {
      'src/plugins/shop/package.json': JSON.stringify({ name: 'shop', strapi: { kind: 'plugin', name: 'shop' } }),
      'src/plugins/shop/strapi-server.js': `module.exports = { contentTypes: { product: { schema: ${JSON.stringify(product)} } } };`,
      'config/plugins.js': `module.exports = { shop: { enabled: true, resolve: './src/plugins/shop' }, 'users-permissions': { config: { jwtSecret: 'secret' } } };`,
    },
  },
  seed: `
    const { documentId } = await strapi.documents('plugin::shop.product').create({ data: { name: 'P' } });
    const mate = await d('mate').create({ data: { name: 'M' } });
    const data = { name: 'A', product: documentId, mate: mate.documentId, 'odd name': 'o', '1st': 'f' };
    await d('shelf').create({ data });
    const other = await d('shelf').create({ data: { name: 'B', product: documentId } });
    await strapi.db.query('api::shelf.shelf').create({ data: { name: 'bare' } });
    await strapi.db.connection('shelfs').where({ name: 'bare' }).update({ document_id: null });
    await strapi.db.connection('shelfs_mate_lnk').insert({ shelf_id: other.id, mate_id: mate.id });
    await d('imprint').create({ data: { title: 'One' } });
    await strapi.db.query('api::imprint.imprint').create({ data: { title: 'Two', publishedAt: new Date() } });`,
};
