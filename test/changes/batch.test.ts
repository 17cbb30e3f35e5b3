import { describe, expect, test } from 'vitest';
import { batchLimits, readBatchInSteps } from '../../src/changes/batch/batch.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { open, SnapshotError } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';

const thing = 'api::thing.thing';

const entity = { type: 'api::note.note', id: 1, data: { documentId: 'a' } };
const target = { type: 'api::note.note', id: 1, position: 0, inversePosition: 0.5 };
const list = { type: 'api::note.note', id: 1, attribute: 'notes', targets: [target] };

function read(value: unknown) {
  const problems = new Problems('strict', 'batch');
  const batch = runAtOnce(readBatchInSteps(value, problems));
  problems.throwIfAny();
  return batch;
}

test('a batch survives JSON', () => {
  const batch = {
    entities: [entity, { ...entity, published: true }, { ...entity, data: null }],
    links: [list, { ...list, targets: [{ ...target, inverse: '' }] }],
  };
  expect(read(JSON.parse(JSON.stringify(batch)))).toEqual(batch);
});

describe('a wrong batch', () => {
  const deep: unknown[] = [];
  for (let i = 0, inner = deep; i < 300; i++) {
    const next: unknown[] = [];
    inner.push(next);
    inner = next;
  }
  const cases: [string, unknown, string][] = [
    ['no object', [], 'must be of type object'],
    ['no links', { entities: [] }, 'links: is required'],
    ['an unknown key', { entities: [], links: [], entitys: [] }, 'entitys: unknown key (did you mean "entities"?)'],
    ['an id of 0', { entities: [entity, { ...entity, id: 0 }], links: [] }, 'entities[1].id: must be at least 1, is 0'],
    [
      'a fraction as id',
      { entities: [{ ...entity, id: 1.5 }], links: [] },
      'entities[0].id: must be a whole number, is 1.5',
    ],
    ['no data', { entities: [{ type: 'a', id: 1 }], links: [] }, 'entities[0].data: is required'],
    ['a list as data', { entities: [{ ...entity, data: [] }], links: [] }, 'entities[0].data: must be of type'],
    [
      'no position',
      { entities: [], links: [{ ...list, targets: [{ ...target, position: null }] }] },
      'links[0].targets[0].position: must be of type number, is null',
    ],
    [
      'deep data',
      { entities: [{ ...entity, data: { deep } }], links: [] },
      'entities[0].data: is nested deeper than 256 levels',
    ],
    [
      'too many entities',
      { entities: Array(batchLimits.entities + 1).fill(entity), links: [] },
      'entities: the batch has 10001 entries; the limit is 10000',
    ],
  ];
  test.each(cases)('%s is an error at its path', (_, value, message) => {
    expect(() => read(value)).toThrow(message);
  });

  test.each([
    ['no batch', null, 'must be of type object'],
    ['no entities', {}, 'entities: is required'],
    ['an entity without data', { entities: [{ type: thing, id: 1 }], links: [] }, 'entities[0].data: is required'],
    ['a list without targets', { entities: [], links: [{ ...list, targets: undefined }] }, 'targets: is required'],
    [
      'a position that is no number',
      { entities: [], links: [{ ...list, targets: [{ ...target, position: Number.NaN }] }] },
      'links[0].targets[0].position: must be of type number',
    ],
  ])('that is %s is applied to no content', async (_, value, message) => {
    const content = await open(thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one' }]), {});
    const { version } = content;
    expect(() => content.apply(value as never)).toThrow(message);
    expect(() => content.apply(value as never)).toThrow(SnapshotError);
    expect(content.version).toBe(version);
  });
});
