// An invalid value is a problem that names type, entry and attribute.
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { expectProblem, loadError } from '../support/broken.ts';
import { ask, thingSnapshot } from '../support/guide.ts';

const lone = '\ud800 alone';
const enumeration = { type: 'enumeration', enum: ['mon', 'tue'] };
const toOne = { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' };
const toMany = { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' };
const component = { type: 'component', component: 'shared.part', repeatable: false };
const parts = { type: 'component', component: 'shared.part', repeatable: true };
const zone = { type: 'dynamiczone', components: ['shared.part'] };
const morph = { type: 'relation', relation: 'morphToOne' };
const morphs = { type: 'relation', relation: 'morphToMany' };
const components = { 'shared.part': { attributes: { count: { type: 'integer' } } } };

const refused: [type: string, attribute: object, values: unknown[]][] = [
  ['string', { type: 'string' }, [5, true, [], {}, lone]],
  ['text', { type: 'text' }, [5, false, ['text'], lone, 'low first \udc00\ud800']],
  ['richtext', { type: 'richtext' }, [5, [{ type: 'paragraph' }], lone]],
  ['blocks', { type: 'blocks' }, ['text', 5, { type: 'paragraph' }]],
  ['enumeration', enumeration, ['wed', 'Mon', '', 0]],
  ['email', { type: 'email' }, [5, {}, lone]],
  ['uid', { type: 'uid' }, [5, [], lone]],
  [
    'date',
    { type: 'date' },
    [
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '0001-01-00',
      '0031-13-01',
      '2026-1-1',
      '2026-01-01T00:00:00Z',
      'soon',
      '',
      20260101,
    ],
  ],
  [
    'time',
    { type: 'time' },
    ['25:00:00', '24:00:00', '12:60:00', '12:30:60', '12:30', '12:30:00.1234', 'noon', '', 123000],
  ],
  [
    'datetime',
    { type: 'datetime' },
    ['2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z', '2026-01-01T00:00:00', '2026-01-01', 'soon', '', 1767225600000],
  ],
  ['timestamp', { type: 'timestamp' }, ['soon', '', 1.5, true, {}, '2026-02-30T00:00:00Z']],
  ['integer', { type: 'integer' }, ['word', '', 1.5, true, [], 2 ** 53 + 2, -(2 ** 53) - 2, Number.NaN]],
  [
    'biginteger',
    { type: 'biginteger' },
    ['9223372036854775808', '-9223372036854775809', '1.5', 'word', '', '0x10', 1.5, true, {}, ['7'], [7]],
  ],
  ['json', { type: 'json' }, [{ [lone]: 1 }, [{ deep: { [lone]: 1 } }], [lone]]],
  ['float', { type: 'float' }, ['word', '', true, [], Number.NaN, Number.POSITIVE_INFINITY]],
  ['decimal', { type: 'decimal' }, ['word', '', false, {}, Number.NEGATIVE_INFINITY]],
  ['rich text', { type: 'richtext' }, [5, {}, ['text'], [null], [{ text: 'no type' }], [{ type: 1 }]]],
  ['boolean', { type: 'boolean' }, ['true', 'yes', 1, 0, {}]],
  ['array', { type: 'array' }, ['text', 5, {}]],
  ['to-one relation', toOne, [5, true, {}, ['good'], [{ documentId: 'good' }]]],
  ['to-many relation', toMany, [5, {}, [5], [null], [{ documentId: 5 }], [{ documentId: 'good', unknown: 1 }]]],
  ['single media', { type: 'media', multiple: false }, [5, {}, ['good']]],
  ['several media', { type: 'media', multiple: true }, [5, {}, [5], [null]]],
  ['component', component, ['text', 5, [], [{ count: 1 }]]],
  ['repeatable component', parts, ['text', { count: 1 }, ['text'], [null]]],
  ['dynamic zone', zone, ['text', { __component: 'shared.part' }, ['text'], [null], [{ count: 1 }]]],
  ['polymorphic relation', morph, ['good', 5, { documentId: 'good' }, { __type: 'api::thing.thing' }, []]],
  ['polymorphic relation to many', morphs, ['good', ['good'], [{ documentId: 'good' }], [null]]],
];

const cases = refused.flatMap(([type, attribute, values]) =>
  values.map((value) => ({ type, attribute, value, shown: JSON.stringify(value) ?? String(value) })),
);

test.each(cases)('$type: $shown', async ({ attribute, value }) => {
  const entries = [{ documentId: 'good' }, { documentId: 'broken-entry', value }];
  const snapshot = thingSnapshot({ value: attribute }, entries, { components });
  await expectProblem(snapshot, 'thing', 'broken-entry', 'value');
  expect((await loadError(snapshot)).count).toBe(1);
});

describe('the path of an invalid value in a component', () => {
  test.each<[title: string, attribute: object, value: unknown]>([
    ['single', component, { count: 'word' }],
    ['repeatable', parts, [{ count: 1 }, { count: 'word' }]],
    ['in a zone', zone, [{ __component: 'shared.part', count: 'word' }]],
  ])('%s', async (_title, attribute, value) => {
    const entries = [{ documentId: 'broken-entry', value }];
    await expectProblem(
      thingSnapshot({ value: attribute }, entries, { components }),
      'thing',
      'broken-entry',
      'value',
      'count',
    );
  });
  test('names an unknown key', async () => {
    const entries = [{ documentId: 'broken-entry', value: { count: 1, colour: 'red' } }];
    const snapshot = thingSnapshot({ value: component }, entries, { components });
    await expectProblem(snapshot, 'thing', 'broken-entry', 'value', 'colour');
  });
  test('names an unknown __component', async () => {
    const entries = [{ documentId: 'broken-entry', value: [{ __component: 'shared.nope' }] }];
    const snapshot = thingSnapshot({ value: zone }, entries, { components });
    await expectProblem(snapshot, 'thing', 'broken-entry', 'value', 'shared.nope');
  });
  test('names a component that the zone does not allow', async () => {
    const more = { ...components, 'shared.other': { attributes: { count: { type: 'integer' } } } };
    const entries = [{ documentId: 'broken-entry', value: [{ __component: 'shared.other', count: 1 }] }];
    await expectProblem(
      thingSnapshot({ value: zone }, entries, { components: more }),
      'broken-entry',
      'value',
      'shared.other',
    );
  });
  test('names an id that occurs twice', async () => {
    const entries = [{ documentId: 'broken-entry', value: [{ id: 1 }, { id: 1 }] }];
    await expectProblem(thingSnapshot({ value: parts }, entries, { components }), 'thing', 'broken-entry', 'value');
  });
});

test('loads and serves values at the limits of their types', async () => {
  const attributes = {
    date: { type: 'date' },
    time: { type: 'time' },
    datetime: { type: 'datetime' },
    timestamp: { type: 'timestamp' },
    integer: { type: 'integer' },
    big: { type: 'biginteger' },
    float: { type: 'float' },
    text: { type: 'text' },
  };
  const values = {
    date: '2024-02-29',
    time: '23:59:59.999',
    datetime: '2026-01-01T00:00:00.000+14:00',
    timestamp: '1970-01-01T00:00:00.001Z',
    integer: 9007199254740991,
    big: '-9223372036854775808',
    float: 5e-324,
    text: '🍕\u0000"\\',
  };
  const content = await open(thingSnapshot(attributes, [{ id: 7, documentId: 'edge', ...values }]));
  expect((await ask(content, '/api/things/edge')).body).toEqual({
    data: {
      id: 7,
      documentId: 'edge',
      ...values,
      datetime: '2025-12-31T10:00:00.000Z',
      timestamp: '1',
      createdAt: null,
      updatedAt: null,
      publishedAt: null,
    },
    meta: {},
  });
});

test('ignores properties that an entry inherits', async () => {
  const entry = Object.assign(Object.create({ value: 'inherited', other: 1 }), { documentId: 'heir' });
  const content = await open(thingSnapshot({ value: { type: 'string' } }, [entry]));
  const { data } = (await ask(content, '/api/things/heir')).body;
  expect(data).toMatchObject({ documentId: 'heir', value: null });
});
