import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { readAttribute } from '../../src/model/schema/read-attribute.ts';
import { administratorType, fileType } from '../../src/model/schema/schema.ts';

function read(raw: unknown, { name = 'x', uid = 'api::thing.thing', tolerance = 'tolerant' as const } = {}) {
  const problems = new Problems(tolerance);
  const attribute = readAttribute(name, raw as never, 'thing, attribute x', uid, problems);
  return { attribute, errors: problems.count, warnings: problems.warnings.map(({ message }) => message).join('\n') };
}

const relation = (kind: string, rest: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: 'api::a.a',
  ...rest,
});

test.each<[rule: string, raw: object, expected: object]>([
  ['a scalar', { type: 'integer' }, { kind: 'scalar', type: 'integer', private: false, searchable: true }],
  ['a password, which is private', { type: 'password' }, { kind: 'scalar', private: true }],
  ['an attribute that _q does not search', { type: 'string', searchable: false }, { searchable: false }],
  ['an enumeration', { type: 'enumeration', enum: ['a', 1] }, { type: 'enumeration', values: ['a', '1'] }],
  ['one file', { type: 'media' }, { kind: 'media', many: false, target: fileType }],
  ['several files', { type: 'media', multiple: true }, { kind: 'media', many: true, target: fileType }],
  ['a component', { type: 'component', component: 'b.c' }, { kind: 'component', many: false, target: 'b.c' }],
  ['repeatable components', { type: 'component', component: 'b.c', repeatable: true }, { many: true }],
  [
    'a zone',
    { type: 'dynamiczone', components: ['b.c', 1] },
    { kind: 'dynamiczone', components: ['b.c'], owner: true },
  ],
  ['a relation to one', relation('manyToOne'), { kind: 'relation', many: false, inverse: null, owner: true }],
  ['a relation to many', relation('oneToMany', { inversedBy: 'a' }), { many: true, inverse: 'a', owner: true }],
  ['an inverse side', relation('oneToMany', { mappedBy: 'a' }), { many: true, inverse: 'a', owner: false }],
  [
    'a relation to any type',
    relation('morphToMany'),
    { kind: 'polymorphic', many: true, components: null, owner: true },
  ],
  ['its inverse side', relation('morphOne', { morphBy: 'a' }), { inverse: 'a', owner: false, fromPolymorphic: true }],
  ['a relation to roles of administrators', relation('oneToOne', { target: 'admin::role' }), { private: true }],
  [
    'a relation to administrators, who have no inverse sides',
    relation('oneToOne', { target: administratorType, mappedBy: 'a' }),
    { private: false, inverse: null, owner: true },
  ],
])('reads %s', (_, raw, expected) => {
  expect(read(raw)).toMatchObject({ attribute: { name: 'x', ...expected }, errors: 0, warnings: '' });
});

test('files do not own the relation to what they belong to', () => {
  expect(read(relation('morphToMany'), { name: 'related', uid: fileType }).attribute).toMatchObject({ owner: false });
});

test.each<[rule: string, raw: unknown, message: string, type: string]>([
  ['an unknown type is JSON', { type: 'strin' }, 'unknown attribute type "strin" (did you mean "string"?)', 'json'],
  ['a missing type is JSON', {}, '"type" is missing', 'json'],
  ['a custom field is JSON', { type: 'customField' }, 'use the type of the stored value', 'json'],
  ['an enumeration may lack its values', { type: 'enumeration' }, '"enum" is missing', 'enumeration'],
])('tolerates that %s', (_, raw, message, type) => {
  const { attribute, errors, warnings } = read(raw);
  expect(attribute).toMatchObject({ kind: 'scalar', type });
  expect(errors).toBe(0);
  expect(warnings).toContain(message);
});

test.each<[rule: string, raw: unknown, message: string]>([
  ['a definition that is no object', 'string', 'expected an object with a "type", not "string"'],
  ['an unknown relation', relation('oneToFew'), 'unknown relation "oneToFew"'],
  ['a relation without a kind', { type: 'relation', target: 'api::a.a' }, '"relation" is missing'],
  ['a relation without a target', { type: 'relation', relation: 'oneToOne' }, '"target" is missing'],
  ['an inverse side of any type without its owner', relation('morphOne'), '"morphBy" is missing'],
  ['a component without a target', { type: 'component' }, '"component" is missing'],
  ['a zone without components', { type: 'dynamiczone' }, '"components" is missing'],
])('rejects %s', (_, raw, message) => {
  const problems = new Problems('tolerant');
  readAttribute('x', raw as never, 'thing, attribute x', 'api::thing.thing', problems);
  expect(() => problems.throwIfAny()).toThrow(`thing, attribute x: ${message}`);
});

test('reports a name that queries cannot contain, and leaves out __proto__', () => {
  expect(read({ type: 'string' }, { name: 'a b' })).toMatchObject({ attribute: { name: 'a b' }, errors: 0 });
  expect(read({ type: 'string' }, { name: 'a b' }).warnings).toContain('"a b" is not allowed');
  expect(read({ type: 'string' }, { name: '__proto__' }).attribute).toBeNull();
});
