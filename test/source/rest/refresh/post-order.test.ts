import { expect, test } from 'vitest';
import { PostOrder } from '../../../../src/follow/rest/refresh/post-order.ts';

const taken = (order: PostOrder, epoch: string, ...sequences: number[]) =>
  sequences.map((sequence) => order.take({ epoch, sequence }));

test('posts that follow each other have no gap after the first one', () => {
  expect(taken(new PostOrder(), 'one', 0, 1, 2)).toEqual(['gap', 'next', 'next']);
});

test('a post whose reply was lost comes twice', () => {
  expect(taken(new PostOrder(), 'one', 7, 7, 8, 7)).toEqual(['gap', 'repeated', 'next', 'repeated']);
});

test('a missing post is a gap', () => {
  expect(taken(new PostOrder(), 'one', 0, 2, 3)).toEqual(['gap', 'gap', 'next']);
});

test('several processes of a Strapi count for themselves', () => {
  const order = new PostOrder();
  expect(taken(order, 'one', 4)).toEqual(['gap']);
  expect(taken(order, 'other', 0, 1)).toEqual(['gap', 'next']);
  expect(taken(order, 'one', 5)).toEqual(['next']);
});

test('a process that has not posted for long is forgotten before others', () => {
  const order = new PostOrder();
  taken(order, 'idle', 0);
  for (let i = 0; i < 200; i++) {
    taken(order, `${i}`, 0);
    expect(taken(order, 'busy', i)).toEqual([i === 0 ? 'gap' : 'next']);
  }
  expect(taken(order, 'idle', 1)).toEqual(['gap']);
});
