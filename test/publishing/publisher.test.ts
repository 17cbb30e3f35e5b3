import { afterEach, describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { Unpublished } from '../../src/content/publishing/publishing-errors.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { newDisk } from '../support/journaled.ts';
import { FailingPublication, type Running, start, things, titlesOf } from './published-things.ts';

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

const begin = async (...given: Parameters<typeof start>): Promise<Running> => {
  const started = await start(...given);
  running.push(started);
  return started;
};

async function end(one: Running): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.close();
}

const stateIn = ({ head }: FailingPublication) => `${head!.epoch}-${head!.sequence}`;

describe('a change', () => {
  test('is in the log before it is served', async () => {
    const publication = new FailingPublication();
    const one = await begin(publication, things('a'));
    let served = '';
    const append = publication.appendIf.bind(publication);
    publication.appendIf = async (...given) => {
      served = titlesOf(one.content)[0];
      return append(...given);
    };
    await one.retitle('b');
    expect([served, ...titlesOf(one.content)]).toEqual(['a', 'b']);
    expect([await publication.read(), stateIn(publication)]).toEqual([['b'], one.content.version]);
  });

  test('is not applied while the publication is away', async () => {
    const publication = new FailingPublication();
    const disk = newDisk();
    const one = await begin(publication, things('a'), { disk });
    publication.isAway = true;
    await expect(one.retitle('b')).rejects.toMatchObject({ status: 503 });
    expect(titlesOf(one.content)).toEqual(['a']);
    publication.isAway = false;
    await one.retitle('c');
    expect([await publication.read(), one.changes.figures.sequence]).toEqual([['c'], 1]);
  });

  test('is applied once if the answer is lost, whether it was done or not', async () => {
    const publication = new FailingPublication();
    const one = await begin(publication, things('a'), { disk: newDisk() });
    for (const failures of [['lost, done'], ['lost, not done'], ['lost, not done', 'away', 'lost, done']] as const) {
      publication.failures.push(...failures);
      const title = failures.join();
      await one.retitle(title);
      expect([titlesOf(one.content), await publication.read()]).toEqual([[title], [title]]);
    }
    expect([stateIn(publication), publication.log.length]).toEqual([one.content.version, 3]);
  });

  test('whose outcome stays unknown is settled before the next one, and has the answer of its request', async () => {
    const publication = new FailingPublication();
    const one = await begin(publication, things('a'), { disk: newDisk() });
    publication.failures.push('lost, done', ...Array.from({ length: 20 }, () => 'away' as const));
    const error = await one.retitle('b', 'key').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unpublished);
    expect(error).toMatchObject({ status: 503, mayBePublished: true });
    expect(titlesOf(one.content)).toEqual(['a']);
    publication.failures.length = 0;
    const next = (await one.retitle('c')) as { sequence: number };
    expect(next.sequence).toBe(2);
    expect(await one.retitle('b', 'key')).toMatchObject({ sequence: 1 });
    expect([titlesOf(one.content), await publication.read()]).toEqual([['c'], ['c']]);
  });

  test('that was published before a crash is kept and served by the next start', async () => {
    const publication = new FailingPublication();
    const disk = newDisk();
    const one = await begin(publication, things('a'), { disk });
    await one.retitle('b');
    publication.failures.push('lost, done', ...Array.from({ length: 20 }, () => 'away' as const));
    await expect(one.retitle('c')).rejects.toMatchObject({ status: 503 });
    await end(one);
    publication.failures.length = 0;
    const two = await begin(publication, things('a'), { disk });
    expect([titlesOf(two.content), two.content.version]).toEqual([['c'], stateIn(publication)]);
    await two.retitle('d');
    await end(two);
    const three = await begin(publication, things('a'), { disk });
    expect([titlesOf(three.content), await publication.read()]).toEqual([['d'], ['d']]);
  });
});

describe('a change that is published and that the journal rejects', () => {
  test.each(['ENOSPC', 'EIO'] as const)('is served once by its request or the next start, after %s', async (fault) => {
    const publication = new FailingPublication();
    const disk = newDisk();
    let one = await begin(publication, things('a'), { disk });
    disk.faults.set(disk.calls, fault);
    const rejected = one.retitle('b', 'key');
    await expect(rejected).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('are published, but'),
    });
    expect([titlesOf(one.content), await publication.read()]).toEqual([['a'], ['b']]);
    expect(one.changes.figures.failures).toMatchObject({ published: 0, journal: 1 });
    if (fault === 'EIO') {
      await expect(one.retitle('b', 'key')).rejects.toMatchObject({ status: 503 });
      await end(one);
      one = await begin(publication, things('a'), { disk });
    } else expect(await one.retitle('b', 'key')).toMatchObject({ sequence: 1 });
    await one.retitle('c');
    expect([titlesOf(one.content), await publication.read(), publication.log.length]).toEqual([['c'], ['c'], 2]);
  });
});

test('a start that waits for another publisher ends when it is closed', async () => {
  const publication = new FailingPublication();
  await begin(publication, things('a'));
  const started = performance.now();
  const begins = (changes: Running['changes']) => void setTimeout(() => void changes.close(), 50);
  const waiting = start(publication, things('x'), { source: 'others', others: 20_000, begins });
  await expect(waiting).rejects.toMatchObject({ status: 503, message: expect.stringContaining('the server stops') });
  expect(performance.now() - started).toBeLessThan(5000);
  expect(await publication.read()).toEqual(['a']);
});

describe('a publication that has lost', () => {
  test.each([
    ['its last entries', 'memory'],
    ['its last entries', 'journal'],
    ['everything', 'memory'],
    ['everything', 'journal'],
    ['its last entries', 'nothing'],
  ])('%s gets them again from %s', async (lost, from) => {
    const publication = new FailingPublication();
    const disk = from === 'journal' ? newDisk() : undefined;
    let one = await begin(publication, things('a'), { disk });
    await one.retitle('b');
    const before = structuredClone({ head: publication.head, log: publication.log });
    await one.retitle('c');
    await one.retitle('d');
    if (from === 'journal') await end(one);
    if (lost === 'everything') Object.assign(publication, { head: null, log: [] });
    else Object.assign(publication, before);
    if (from === 'journal') one = await begin(publication, things('a'), { disk });
    else if (from === 'nothing') {
      const { content } = one;
      await end(one);
      one = await begin(publication, things('a'), { content });
    }
    await one.watch();
    expect([await publication.read(), stateIn(publication)]).toEqual([['d'], one.content.version]);
    await one.retitle('e');
    expect(await publication.read()).toEqual(['e']);
  });
});

describe('two publishers', () => {
  test('of one snapshot end with the same content, and nothing that was answered is lost', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed);
      const publication = new FailingPublication();
      const disks = [newDisk(), newDisk()];
      const snapshot = things('a');
      const both = [await begin(publication, snapshot, { disk: disks[0] })];
      if (seed % 2 === 0) await both[0].retitle('before');
      both.push(await begin(publication, snapshot, { disk: disks[1] }));
      const done = seed % 2 === 0 ? ['before'] : [];
      for (let i = 0; i < 20; i++) {
        const one = both[random.integer(0, 1)];
        if (random.integer(0, 3) === 0) await one.watch();
        const title = `${seed} ${i}`;
        const isDone = await one.retitle(title).then(
          () => true,
          (error: { status: number }) => {
            expect(error.status).toBe(409);
            return false;
          },
        );
        if (isDone) done.push(title);
      }
      for (const one of both) await one.watch();
      expect(both.map(({ content }) => [titlesOf(content), content.version])).toEqual(
        both.map(() => [[done.at(-1)], stateIn(publication)]),
      );
      expect(publication.log.map(({ changes }) => JSON.stringify(changes).match(/"title":"([^"]*)"/)![1])).toEqual(
        done,
      );
      for (const one of both) await end(one);
      const again = await begin(publication, snapshot, { disk: disks[1] });
      expect([titlesOf(again.content), again.content.version]).toEqual([[done.at(-1)], stateIn(publication)]);
      await end(again);
    }
  });

  test('of unlike content do not replace each other while both run', async () => {
    const publication = new FailingPublication();
    const one = await begin(publication, things('a'));
    await expect(start(publication, things('x'), { source: 'others' })).rejects.toThrow('of another source');
    expect(await publication.read()).toEqual(['a']);
    await end(one);
    await begin(publication, things('x'), { source: 'others' });
    expect(await publication.read()).toEqual(['x']);
  });
});

test('other content is published as an image of a new epoch, also after a publisher that has ended', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication, things('a'));
  await one.retitle('b');
  expect(await one.changes.reload(await loadSnapshot(things('x', 'y')), { started: 0 })).toBe(true);
  expect([await publication.read(), stateIn(publication)]).toEqual([['x', 'y'], one.content.version]);
  await end(one);
  const two = await begin(publication, things('x', 'z'));
  expect([await publication.read(), stateIn(publication)]).toEqual([['x', 'z'], two.content.version]);
});

test('the same content goes on at the version that is published', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication, things('a'));
  const version = one.content.version;
  await end(one);
  const two = await begin(publication, things('a'));
  expect([two.content.version, publication.states]).toEqual([version, [publication.states[0]]]);
});

test('other API tokens alone change the head, and other confirmation of e-mail begins an epoch', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication, things('a'));
  const { loaded } = one.content.history;
  const before = stateIn(publication);
  const token = { name: 't', type: 'read-only', permissions: [], accessKey: 'k', expires: null } as const;
  await one.changes.reload({ ...loaded, apiTokens: [token] }, { started: 0 });
  expect([publication.head!.access!.apiTokens, stateIn(publication)]).toEqual([[token], before]);
  await one.changes.reload({ ...loaded, emailConfirmation: true }, { started: 0 });
  expect(publication.head!.access!.emailConfirmation).toBe(true);
  expect([await publication.read(), stateIn(publication)]).toEqual([['a'], one.content.version]);
});

test('a pin has the image of its version, and an unknown version publishes nothing', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication, things('a'));
  await one.retitle('b');
  const { version } = one.content;
  await one.retitle('c');
  await one.changes.pin(version, async () => {});
  const { pinned } = publication.head!;
  expect([`${pinned!.epoch}-${pinned!.sequence}`, publication.images.has(pinned!.sha256)]).toEqual([version, true]);
  const states = publication.states.length;
  await expect(one.changes.pin('1-1', async () => {})).rejects.toMatchObject({ status: 404 });
  expect([publication.head!.pinned, publication.states.length]).toEqual([pinned, states]);
  await one.retitle('d');
  expect([await publication.read(), titlesOf(one.content)]).toEqual([['d'], ['b']]);
  await one.changes.pin(null, async () => {});
  expect([publication.head!.pinned, titlesOf(one.content)]).toEqual([null, ['d']]);
});

test('after a thousand changes an image begins the log, while changes go on', async () => {
  const publication = new FailingPublication();
  const one = await begin(publication, things('a'));
  const first = publication.head!.image.sha256;
  for (let i = 0; i < 1050; i++) await one.retitle(`${i}`);
  await expect.poll(() => publication.head!.image.sha256).not.toBe(first);
  await one.retitle('last');
  expect(publication.head!.image.sequence).toBeGreaterThanOrEqual(1000);
  expect(await publication.read()).toEqual(['last']);
  // the log since the image before is still known
  Object.assign(publication, { head: null, log: [] });
  await one.watch();
  expect(await publication.read()).toEqual(['last']);
});
