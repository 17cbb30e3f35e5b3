/** A publication that has lost its log and kept the head. */
import { afterEach, expect, test } from 'vitest';
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

/** Two publishers of one snapshot, of which only the second has the last change, "c". */
async function bothWithoutLog() {
  const publication = new FailingPublication();
  const [one, two] = [await begin(publication), await begin(publication)];
  await one.retitle('b');
  await two.watch();
  await two.retitle('c');
  publication.log = [];
  return { publication, one, two };
}

/** Longer than publishers look at what they have published. */
const soon = { timeout: 5000, interval: 20 };

test('gets it again without another change', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication);
  await one.retitle('b');
  await one.retitle('c');
  const { log, head } = structuredClone({ log: publication.log, head: publication.head });
  publication.log = [];
  await expect.poll(() => publication.log, soon).toEqual(log);
  expect(publication.head).toEqual(head);
  await one.retitle('d');
  expect([await publication.read(), one.changes.figures.published]).toEqual([['d'], { failure: null }]);
});

test('gets it from the publisher that has all of it, and not from another one', async () => {
  const { publication, one, two } = await bothWithoutLog();
  await expect(one.retitle('d')).rejects.toMatchObject({ status: 409 });
  await expect(one.retitle('e')).rejects.toMatchObject({ status: 409 });
  expect(publication.head!.sequence).toBe(2);
  await expect.poll(() => publication.log.length, soon).toBe(2);
  expect(await publication.read()).toEqual(['c']);
  await one.watch();
  await one.retitle('f');
  await two.watch();
  expect([await publication.read(), titlesOf(one.content), titlesOf(two.content)]).toEqual([['f'], ['f'], ['f']]);
});

test('goes on with what is left if the publisher that had the last changes has ended', async () => {
  const { publication, one, two } = await bothWithoutLog();
  await expect(one.retitle('d')).rejects.toMatchObject({ status: 409 });
  running.splice(running.indexOf(two), 1);
  await two.close();
  await one.watch();
  expect([await publication.read(), titlesOf(one.content)]).toEqual([['b'], ['b']]);
});
