import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replyDifference } from '../../bench/answers.ts';
import { addPair, compare, type Figure, measurePair, pairTurns } from '../../bench/compare/pairs.ts';
import { resolveCommit } from '../../bench/compare/version.ts';
import { checkOwnContent } from '../../bench/own/content.ts';
import { readUrlFile } from '../../bench/own/urls.ts';
import { temporaryFolder } from '../support/folders.ts';

const pairs = (...ratios: number[]) => ratios.map((ratio) => ({ ours: ratio * 3, theirs: 3 }));
const times = (count: number, ratio: number) => Array<number>(count).fill(ratio);

describe('the verdict over pairs', () => {
  test('is worse if nine of ten cost more than 10 % more', () => {
    expect(compare(pairs(...times(9, 1.11), 0.7)).verdict).toBe('worse');
    expect(compare(pairs(...times(8, 1.5), 1.09, 1.09)).verdict).toBe('no difference shown');
    expect(compare(pairs(...times(10, 1.09))).verdict).toBe('no difference shown');
  });

  test('is better by the inverse rule', () => {
    expect(compare(pairs(...times(9, 0.9), 1.3)).verdict).toBe('better');
    expect(compare(pairs(...times(9, 0.92), 0.5)).verdict).toBe('no difference shown');
  });

  test('does not depend on which of the two is called ours', () => {
    const some = pairs(...times(9, 1.12), 1.01);
    expect(compare(some).verdict).toBe('worse');
    expect(compare(some.map(({ ours, theirs }) => ({ ours: theirs, theirs: ours }))).verdict).toBe('better');
  });

  test('needs the same share of more pairs, and is undecided with fewer than ten', () => {
    expect(compare(pairs(...times(18, 1.2), 1, 1)).verdict).toBe('worse');
    expect(compare(pairs(...times(17, 1.2), 1, 1, 1)).verdict).toBe('no difference shown');
    expect(compare(pairs(...times(63, 1.2), ...times(7, 1))).verdict).toBe('worse');
    expect(compare(pairs(...times(9, 2))).verdict).toBe('undecided');
    expect(() => compare([])).toThrow('at least one pair');
  });

  test('comes with the median and the spread of the ratios', () => {
    const { ratio, spread } = compare(pairs(1.4, 0.8, 1, 1.2));
    expect(ratio).toBeCloseTo(1.1);
    expect(spread[0]).toBeCloseTo(0.8);
    expect(spread[1]).toBeCloseTo(1.4);
    expect(compare(pairs(1, 5, 2)).ratio).toBeCloseTo(2);
  });

  test('is too noisy only if the pairs exclude neither no change nor one of 10 %', () => {
    expect(compare(pairs(0.2, 0.5, ...times(6, 1), 2, 6)).verdict).toBe('no difference shown');
    expect(compare(pairs(...times(5, 1), ...times(5, 1.15))).verdict).toBe('too noisy');
    expect(compare(pairs(...times(5, 1), ...times(5, 0.85))).verdict).toBe('too noisy');
    expect(compare(pairs(...times(5, 1.05), ...times(5, 1.15))).verdict).toBe('no difference shown');
  });
});

describe('a pair', () => {
  test('lets each version begin every other time, and gives both the same number of turns', () => {
    expect(pairTurns(0, false)).toEqual(['ours', 'theirs', 'theirs', 'ours']);
    expect(pairTurns(1, false)).toEqual(['theirs', 'ours', 'ours', 'theirs']);
    expect(pairTurns(0, true)).toEqual([...pairTurns(0, false), ...pairTurns(0, false)]);
  });

  test('has the cost of a call in the cheaper half of the turns, without what was spent before them', async () => {
    const side = (...perCall: number[]) => {
      let spent = 0;
      return {
        start: async () => (spent += 1000),
        turn: async () => ({ calls: 10, userMilliseconds: (spent += 10 * perCall.shift()!) }),
      };
    };
    const sides = { ours: side(2, 9, 2, 4), theirs: side(3, 3, 8, 8) };
    expect(await measurePair(sides, pairTurns(0, true))).toEqual({ ours: 2, theirs: 3 });
  });

  test('is added to the figure of its part and name', () => {
    const figures: Figure[] = [];
    const add = (name: string, ours: number) =>
      addPair(figures, { part: 'load', name, unit: 'bytes' }, { ours, theirs: 1 });
    add('loading', 1);
    add('memory', 2);
    add('loading', 3);
    expect(figures.map(({ name, pairs }) => [name, pairs.map(({ ours }) => ours)])).toEqual([
      ['loading', [1, 3]],
      ['memory', [2]],
    ]);
  });
});

describe('a file of URLs', () => {
  const folder = temporaryFolder();
  const read = (text: string) => {
    const file = join(folder, 'urls.txt');
    writeFileSync(file, text);
    return readUrlFile(file);
  };

  test('has groups under headings, paths and whole URLs', () => {
    expect(
      read('/api/a?x=1\r\n\n# lists\nhttp://127.0.0.1:1337/api/b?filters[x][$eq]=1\n  /api/c  \n#empty\n'),
    ).toEqual([
      { name: 'all URLs', urls: ['/api/a?x=1'] },
      { name: 'lists', urls: ['/api/b?filters[x][$eq]=1', '/api/c'] },
    ]);
  });

  test('is rejected with the invalid line', () => {
    expect(() => read('/api/a\napi/b\n')).toThrow(/urls\.txt, line 2: "api\/b" is neither a path/);
    expect(() => read('/api/a b\n')).toThrow('line 1');
    expect(() => read('http://host\n')).toThrow('line 1');
    expect(() => read('\0\x01')).toThrow('is not a text file');
    expect(() => readUrlFile('/nowhere/urls.txt')).toThrow(/option '--urls': ENOENT/);
    expect(() => read('# lists\n')).toThrow('has no URLs');
    expect(() => read('# a\n/x\n# a\n/y\n')).toThrow('two groups are called "a"');
  });
});

describe('two replies', () => {
  const reply = (value: unknown, status = 200) => ({ status, text: JSON.stringify(value) });

  test('are equal whatever the order of keys', () => {
    expect(replyDifference(reply({ a: 1, b: [2] }), reply({ b: [2], a: 1 }))).toBeNull();
    expect(replyDifference({ status: 200, text: 'x' }, { status: 200, text: 'x' })).toBeNull();
  });

  test('differ first at the named location', () => {
    const ours = reply({ data: [{ id: 1 }, { id: 2, title: 'x' }] });
    expect(replyDifference(ours, reply({ data: [{ id: 1 }, { id: 2 }] }))).toBe(
      'the reply.data.1.title: "x" here, nothing there',
    );
    expect(replyDifference(ours, reply({ data: [] }))).toBe('the reply.data: 2 items here, 0 there');
    expect(replyDifference(ours, reply({}, 404))).toBe('status 200 here, 404 there');
    expect(replyDifference(reply(null), { status: 200, text: '<html>' })).toBe('the reply: null here, "<html>" there');
  });
});

test('refuses a snapshot that does not exist', async () => {
  await expect(checkOwnContent({ snapshot: '/nowhere', urls: 'x' })).rejects.toThrow('no file or folder /nowhere');
});

test('rejects a commit that the repository does not have', () => {
  expect(() => resolveCommit('no-such-branch')).toThrow(
    "option '--against': this repository has no commit no-such-branch",
  );
  expect(() => resolveCommit('--help')).toThrow('no commit --help');
});
