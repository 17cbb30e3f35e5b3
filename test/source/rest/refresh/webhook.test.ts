import { expect, test } from 'vitest';
import { changedPlaceOf, Hints } from '../../../../src/follow/rest/refresh/hints.ts';

const article = 'api::article.article';

test.each([
  ['a document', { event: 'entry.publish', uid: article, entry: { documentId: 'one', id: 7 } }, 'one'],
  ['a missing entry', { event: 'entry.publish', uid: article }, null],
  ['an entry that is null', { uid: article, entry: null }, null],
  ['an entry that is the text null', { uid: article, entry: 'null' }, null],
  ['an entry without a documentId', { uid: article, entry: { id: 7 } }, null],
  ['an empty documentId', { uid: article, entry: { documentId: '' } }, null],
  ['a documentId that is none', { uid: article, entry: { documentId: 7 } }, null],
])('a webhook with %s names its type', (_, body, documentId) => {
  expect(changedPlaceOf(body)).toEqual({ type: article, documentId });
});

test('a webhook about a file names the file', () => {
  expect(changedPlaceOf({ event: 'media.update', media: { documentId: 'f1' } })).toEqual({
    type: 'plugin::upload.file',
    documentId: 'f1',
  });
});

test.each([[undefined], [null], ['null'], [[]], [{}], [{ event: 'trigger-test' }], [{ uid: 7, entry: {} }]])(
  'the body %j may mean anything',
  (body) => {
    expect(changedPlaceOf(body)).toBeNull();
  },
);

test('hints of a type without a document stand for all of its documents', () => {
  const hints = new Hints();
  expect(hints.isEmpty).toBe(true);
  hints.add({ type: article, documentId: 'one' });
  hints.add({ type: article, documentId: 'two' });
  hints.add({ type: 'api::tag.tag', documentId: 'x' });
  hints.add({ type: 'api::tag.tag', documentId: null });
  hints.add({ type: 'api::tag.tag', documentId: 'y' });
  expect(hints.take()).toEqual({
    documents: new Map([
      [article, new Set(['one', 'two'])],
      ['api::tag.tag', null],
    ]),
    isAnywhere: false,
  });
  expect(hints.isEmpty).toBe(true);
});

test('hints that could not be read are kept beside later ones', () => {
  const hints = new Hints();
  hints.add({ type: article, documentId: 'one' });
  hints.add(null);
  const taken = hints.take();
  hints.add({ type: article, documentId: 'two' });
  hints.restore(taken);
  expect(hints.take()).toEqual({ documents: new Map([[article, new Set(['two', 'one'])]]), isAnywhere: true });
});
