import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { readSchema } from '../../src/model/schema/read-schema.ts';
import type { Attribute } from '../../src/model/schema/schema.ts';

const a = 'api::a.a';
const b = 'api::b.b';
const relation = (kind: string, target: string, rest: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...rest,
});

/** Returns the attribute x of type a, and the warnings about it, given the attributes of types a, b and a component. */
function resolve(ofA: object, ofB: object = {}, needsInversedBy = false) {
  const problems = new Problems('tolerant');
  const typeOf = (name: string, attributes: object) => ({
    uid: `api::${name}.${name}`,
    location: name,
    component: false,
    info: { singularName: name, pluralName: `${name}s` },
    attributes: { ...attributes },
  });
  const component = { uid: 'c.c', location: 'c', component: true, attributes: {} };
  const schema = readSchema([typeOf('a', ofA), typeOf('b', ofB), component], problems, { needsInversedBy });
  problems.throwIfAny();
  const attribute: Attribute | undefined = schema.type(a).attributes.get('x');
  return { attribute, warnings: problems.warnings.map(({ message }) => message) };
}

test('keeps a relation whose two sides match', () => {
  const owner = relation('manyToOne', b, { inversedBy: 'as' });
  const inverse = relation('oneToMany', a, { mappedBy: 'x' });
  expect(resolve({ x: owner }, { as: inverse })).toMatchObject({
    attribute: { inverse: 'as', owner: true },
    warnings: [],
  });
  expect(resolve({ x: relation('oneToMany', b, { mappedBy: 'a' }) }, { a: relation('manyToOne', a) })).toMatchObject({
    attribute: { inverse: 'a', owner: false },
    warnings: [],
  });
});

test.each<[rule: string, x: object, message: string]>([
  [
    'a relation to a missing type',
    relation('oneToOne', 'api::bb.b'),
    `type api::bb.b is missing (did you mean "${b}"?)`,
  ],
  ['a relation to a component', relation('oneToOne', 'c.c'), 'type c.c is missing'],
  ['a component that is a type', { type: 'component', component: a }, `component ${a} is missing`],
])('leaves out %s', (_, x, message) => {
  const { attribute, warnings } = resolve({ x });
  expect(attribute).toBeUndefined();
  expect(warnings.join()).toContain(`a, attribute x: ${message}`);
});

test('leaves missing components out of a zone', () => {
  const { attribute, warnings } = resolve({ x: { type: 'dynamiczone', components: ['c.c', 'c.d'] } });
  expect(attribute).toMatchObject({ components: ['c.c'] });
  expect(warnings.join()).toContain('component c.d is missing (did you mean "c.c"?)');
});

test('does not look for the target of a private attribute', () => {
  const { attribute, warnings } = resolve({ x: relation('oneToOne', 'api::none.none', { private: true }) });
  expect(attribute).toMatchObject({ private: true });
  expect(warnings).toEqual([]);
});

test('an owning side whose inverse does not match has none', () => {
  const { attribute, warnings } = resolve(
    { x: relation('oneToOne', b, { inversedBy: 'y' }) },
    { z: relation('oneToOne', a) },
  );
  expect(attribute).toMatchObject({ inverse: null, owner: true });
  expect(warnings.join()).toContain(`${b} has no relation "y" that targets ${a} (did you mean "z"?)`);
});

test.each<[rule: string, ofB: object, needsInversedBy: boolean, message: string]>([
  ['its owner does not exist', {}, false, `${b} has no relation "y" that targets ${a}`],
  [
    'both sides are inverse',
    { y: relation('oneToOne', a, { mappedBy: 'x' }) },
    false,
    'both sides of the relation have "mappedBy"',
  ],
  ['its owner does not name it', { y: relation('oneToOne', a) }, true, `${b}.y needs "inversedBy": "x"`],
])('an inverse side is unconnected if %s', (_, ofB, needsInversedBy, message) => {
  const { attribute, warnings } = resolve({ x: relation('oneToOne', b, { mappedBy: 'y' }) }, ofB, needsInversedBy);
  expect(attribute).toMatchObject({ unconnected: true });
  expect(warnings.join('\n')).toContain(message);
});

test('does not report an inverse side whose owner has an unknown type again', () => {
  const { attribute, warnings } = resolve(
    { x: relation('oneToOne', b, { mappedBy: 'y' }) },
    { y: { type: 'relatoin' } },
  );
  expect(attribute).toMatchObject({ unconnected: true });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('unknown attribute type "relatoin"');
});

test('reports two sides that disagree about how many they lead to', () => {
  const { attribute, warnings } = resolve(
    { x: relation('oneToMany', b, { mappedBy: 'y' }) },
    { y: relation('oneToOne', a) },
  );
  expect(attribute).toMatchObject({ inverse: 'y', many: true });
  expect(warnings.join()).toContain(`the relation is oneToMany, but its "mappedBy" ${b}.y is oneToOne`);
});
