import type { JsonSnapshot } from '../../src/index.ts';

/** Types and attributes whose names are no identifiers, that lead to themselves, to anything and to nothing. */
export const oddSnapshot: JsonSnapshot = {
  contentTypes: [
    {
      uid: 'api::3d-model.3d-model',
      kind: 'collectionType',
      info: { singularName: '3d-model', pluralName: '3d-models', displayName: 'Model */ of "3D"' },
      attributes: {
        'file-name': { type: 'string', required: true },
        größe: { type: 'float' },
        class: { type: 'string' },
        '2nd': { type: 'integer' },
        kind: { type: 'enumeration', enum: ["it's", 'a "b"', 'back\\slash', 'ü'] },
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::3d-model.3d-model', inversedBy: 'children' },
        children: { type: 'relation', relation: 'oneToMany', target: 'api::3d-model.3d-model', mappedBy: 'parent' },
        anything: { type: 'relation', relation: 'morphToOne' },
        everything: { type: 'relation', relation: 'morphToMany' },
        'main-part': { type: 'component', component: 'parts.empty' },
        parts: { type: 'dynamiczone', components: ['parts.empty', 'parts.with-link'] },
      },
    },
    {
      uid: 'api::lonely.lonely',
      kind: 'singleType',
      info: { singularName: 'lonely', pluralName: 'lonelies' },
      attributes: {},
    },
  ],
  components: {
    'parts.empty': { attributes: {} },
    'parts.with-link': {
      attributes: {
        'the-link': { type: 'relation', relation: 'oneToOne', target: 'api::3d-model.3d-model' },
        inner: { type: 'component', component: 'parts.empty', repeatable: true },
      },
    },
  },
  entries: {
    '3d-model': Array.from({ length: 4 }, (_, i) => ({
      documentId: `m${i}`,
      'file-name': `file ${i}`,
      größe: i / 2,
      class: null,
      '2nd': i,
      kind: ["it's", 'a "b"', 'back\\slash', 'ü'][i],
      parent: i === 0 ? null : `m${i - 1}`,
      'main-part': {},
      parts: [{ __component: 'parts.empty' }, { __component: 'parts.with-link', 'the-link': 'm0', inner: [{}] }],
    })),
    lonely: [{ documentId: 'l' }],
  },
};
