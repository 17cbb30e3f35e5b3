/** The category tree as entries. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { anyFile } from './world.ts';

export const category: ContentType = {
  singularName: 'category',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'category', pluralName: 'categories', displayName: 'Category' },
    options: { draftAndPublish: false },
    attributes: {
      name: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'name', required: true },
      description: { type: 'text' },
      colour: { type: 'string', regex: '^#[0-9a-f]{6}$' },
      rank: { type: 'integer' },
      icon: { type: 'media', multiple: false, allowedTypes: ['images'] },
      parent: { type: 'relation', relation: 'manyToOne', target: 'api::category.category', inversedBy: 'children' },
      children: { type: 'relation', relation: 'oneToMany', target: 'api::category.category', mappedBy: 'parent' },
      articles: { type: 'relation', relation: 'manyToMany', target: 'api::article.article', mappedBy: 'categories' },
    },
  },
  *entries(world) {
    for (const [index, { documentId, name, parent }] of world.categories.entries()) {
      const random = new Random(world.seed, 'category', index);
      const created = LAST_DAY - random.integer(6000, 7500) * DAY;
      yield {
        id: index + 1,
        documentId,
        createdAt: iso(created),
        updatedAt: iso(created + random.integer(0, 2000) * DAY),
        publishedAt: iso(created),
        name,
        slug: documentId,
        description: index % 5 === 4 ? null : random.pick(DESCRIPTIONS).replace('{name}', name),
        colour: index % 7 === 6 ? null : `#${random.integer(0x100000, 0xfffffe).toString(16)}`,
        rank: index % 9 === 8 ? null : random.integer(1, 20),
        icon: random.maybe(0.6, () => anyFile(world, random)),
        parent: parent === null ? null : world.categories[parent].documentId,
      };
    }
  },
};

const DESCRIPTIONS = [
  '{name}, and the people who keep the keys.',
  'Everything we know about {name} – and some of what we only heard.',
  '{name}: reports, portraits and the occasional quarrel.',
  'For readers who came for {name} and stayed for the footnotes.',
];
