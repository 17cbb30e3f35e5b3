import { afterEach, describe, expect, test } from 'vitest';
import { newDisk } from '../support/journaled.ts';
import { FailingPublication, type Running, start, things, titlesOf } from './published-things.ts';

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

async function begin(publication: FailingPublication): Promise<Running> {
  const started = await start(publication, things('a'), { disk: newDisk() });
  running.push(started);
  return started;
}

describe('a change beside another publisher', () => {
  const both = async () => {
    const publication = new FailingPublication();
    return { publication, one: await begin(publication), two: await begin(publication) };
  };

  test('is refused after a change of the other, which is then served, and works when it is sent again', async () => {
    const { publication, one, two } = await both();
    await two.retitle('b');
    await expect(one.retitle('c')).rejects.toMatchObject({ status: 409, name: 'ConflictError' });
    expect([titlesOf(one.content), one.changes.figures.sequence]).toEqual([['b'], 1]);
    await one.retitle('c');
    expect([await publication.read(), titlesOf(one.content), publication.log.length]).toEqual([['c'], ['c'], 2]);
  });

  test('succeeds if its answer is lost and the other publishes after it', async () => {
    const { publication, one, two } = await both();
    publication.failures.push('lost, done');
    const answer = one.retitle('b', 'key');
    await expect.poll(() => publication.log.length, { interval: 1 }).toBe(1);
    await two.watch();
    await two.retitle('c');
    expect(await answer).toMatchObject({ sequence: 1 });
    expect(await one.retitle('b', 'key')).toEqual(await answer);
    await one.watch();
    expect([titlesOf(one.content), titlesOf(two.content), await publication.read()]).toEqual([['c'], ['c'], ['c']]);
    expect(publication.log.length).toBe(2);
  });

  test('is refused if it was lost on its way and the other publishes in its place', async () => {
    const { publication, one, two } = await both();
    publication.failures.push('lost, not done');
    const refused = expect(one.retitle('b')).rejects.toMatchObject({ status: 409 });
    await expect.poll(() => publication.failures.length, { interval: 1 }).toBe(0);
    await two.retitle('c');
    await refused;
    expect([titlesOf(one.content), await publication.read(), publication.log.length]).toEqual([['c'], ['c'], 1]);
  });
});

test.each(['lost, done', 'lost, not done'] as const)(
  'a request that is sent again after its outcome stayed unknown has one change: %s',
  async (first) => {
    const publication = new FailingPublication();
    const one = await begin(publication);
    publication.failures.push(first, ...Array.from({ length: 20 }, () => 'away' as const));
    await expect(one.retitle('b', 'key')).rejects.toMatchObject({ status: 503, mayBePublished: true });
    publication.failures.length = 0;
    expect(await one.retitle('b', 'key')).toMatchObject({ sequence: 1 });
    expect([titlesOf(one.content), await publication.read(), publication.log.length]).toEqual([['b'], ['b'], 1]);
  },
);

test('nothing is published after the end', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication);
  await one.retitle('b');
  running.length = 0;
  await one.close();
  await expect(one.retitle('c')).rejects.toMatchObject({ status: 503 });
  await expect(one.publisher.pin(one.content.history.loaded)).rejects.toThrow('the server stops');
  expect([titlesOf(one.content), await publication.read(), publication.states.length]).toEqual([['b'], ['b'], 2]);
});
