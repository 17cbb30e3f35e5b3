import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { readSchema } from '../../src/model/schema/read-schema.ts';
import type { PolymorphicAttribute } from '../../src/model/schema/schema.ts';
import { zoneLeadsOn } from '../../src/query/bind/populate/bind-paths.ts';

const page = 'api::page.page';
const relation = (target: string) => ({ type: 'relation', relation: 'oneToMany', target });

/** Pages with a zone of quotes, which have a list of sources and a page, and of texts. */
const schema = readSchema(
  [
    {
      uid: page,
      location: 'page',
      component: false,
      info: { singularName: 'page', pluralName: 'pages' },
      attributes: {
        title: { type: 'string' },
        cover: { type: 'component', component: 'block.text' },
        zone: { type: 'dynamiczone', components: ['block.quote', 'block.text'] },
      },
    },
    {
      uid: 'block.quote',
      location: 'quote',
      component: true,
      attributes: {
        sources: { type: 'component', component: 'block.text', repeatable: true },
        page: relation(page),
        inner: { type: 'dynamiczone', components: ['block.text'] },
      },
    },
    { uid: 'block.text', location: 'text', component: true, attributes: { text: { type: 'string' } } },
  ],
  new Problems('tolerant'),
);
const zone = schema.type(page).attributes.get('zone') as PolymorphicAttribute;
const leadsOn = (path: string, counts = () => true) => zoneLeadsOn(schema, zone, path.split('.'), counts);

test.each<[rule: string, path: string, leads: boolean]>([
  ['an attribute of one of the components', 'text', true],
  ['an attribute of no component', 'title', false],
  ['an attribute behind a component', 'sources.text', false],
  ['a relation behind a component', 'page.cover', true],
  ['a scalar behind a relation', 'page.title', false],
  ['a zone behind a relation', 'page.zone', true],
  ['a scalar directly in a zone behind a relation', 'page.zone.text', true],
  ['a path that leads back to its own type', 'page.zone.page.zone.page.cover', true],
  ['a zone directly in a zone', 'inner', true],
  ['a path through a zone directly in a zone', 'inner.text', false],
  ['a path through a scalar', 'text.text', false],
])('%s: %s', (_, path, leads) => {
  expect(leadsOn(path)).toBe(leads);
});

test('the last name must be an attribute that counts', () => {
  expect(leadsOn('text', () => false)).toBe(false);
  expect(leadsOn('page.cover', () => false)).toBe(false);
});
