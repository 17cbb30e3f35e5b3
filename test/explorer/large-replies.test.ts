import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RawLines } from '../../src/explorer/reply/raw-lines.ts';
import { rowWindow, scrollTopFor } from '../../src/explorer/reply/row-window.ts';
import { TreeRows } from '../../src/explorer/reply/tree-rows.ts';

/** Replies of any size are shown by the few rows that are in view. */

describe('the rows of a tree', () => {
  /** What is open, as paths; and the rows that this makes, by plain recursion. */
  function plainRows(value: unknown, open: ReadonlySet<string>, path = '$', depth = 0): string[] {
    const row = `${depth} ${path}`;
    if (!open.has(path) || typeof value !== 'object' || value === null) return [row];
    return [
      row,
      ...Object.entries(value).flatMap(([key, inner]) => plainRows(inner, open, `${path}.${key}`, depth + 1)),
    ];
  }

  function shownRows(tree: TreeRows): string[] {
    const paths: string[] = [];
    return Array.from({ length: tree.length }, (_, i) => {
      const { depth, key, parent } = tree.row(i);
      paths.push(parent < 0 ? '$' : `${paths[parent]}.${key}`);
      return `${depth} ${paths[i]}`;
    });
  }

  test('are those of a plain recursion, whatever is opened and closed', () => {
    const keys = fc.stringMatching(/^[a-z]{1,3}$/);
    const values = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.integer(), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    })).value;
    const check = fc.property(values, fc.array(fc.nat(), { maxLength: 30 }), (value, choices) => {
      const tree = new TreeRows(value);
      const open = new Set<string>();
      for (const choice of choices) {
        const row = choice % tree.length;
        const { canOpen, isOpen } = tree.row(row);
        if (!canOpen) continue;
        const path = shownRows(tree)[row].split(' ')[1];
        tree.toggle(row);
        if (isOpen) for (const each of open) if (`${each}.`.startsWith(`${path}.`)) open.delete(each);
        if (!isOpen) open.add(path);
        expect(shownRows(tree)).toEqual(plainRows(value, open));
      }
    });
    fc.assert(check, { numRuns: 300 });
  });

  test('a million items open as fast as ten', () => {
    const items = Array.from({ length: 1_000_000 }, (_, id) => ({ id }));
    const tree = new TreeRows(items);
    const start = performance.now();
    tree.toggle(0);
    tree.toggle(900_000);
    tree.toggle(500_000);
    expect(tree.row(900_002)).toMatchObject({ key: 'id', value: 899_999, depth: 2, parent: 900_001 });
    expect(performance.now() - start).toBeLessThan(100);
    expect(tree.length).toBe(1_000_003);
  });

  test('a long text opens as its lines', () => {
    const text = `${'word '.repeat(30)}\n\n${'x'.repeat(250)}`;
    const tree = new TreeRows({ text });
    tree.toggle(0);
    tree.toggle(1);
    const lines = Array.from({ length: tree.length - 2 }, (_, i) => tree.row(i + 2).value as string);
    expect(lines.map(({ length }) => length)).toEqual([100, 50, 0, 100, 100, 50]);
    expect(lines.join('')).toBe(text.replaceAll('\n', ''));
  });
});

describe('the lines of a JSON text', () => {
  function linesOf(text: string, step: number): string[] {
    const lines = new RawLines(text);
    while (!lines.isComplete) lines.scan(step);
    return Array.from({ length: lines.length }, (_, i) => {
      const { start, end, depth } = lines.line(i);
      return '  '.repeat(depth) + text.slice(start, end);
    });
  }

  test('are those of JSON with indentation, however they are found', () => {
    const check = fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (value, step) => {
      const keyMark = /^(\s*"(?:[^"\\]|\\.)*"): /;
      const expected = JSON.stringify(value, null, 2).split('\n');
      expect(linesOf(JSON.stringify(value), step)).toEqual(expected.map((line) => line.replace(keyMark, '$1:')));
    });
    fc.assert(check, { numRuns: 300 });
  });

  test('long ones are broken between characters', () => {
    const text = JSON.stringify(['😀'.repeat(1000)]);
    const lines = linesOf(text, 7).map((line) => line.trim());
    expect(lines.join('')).toBe(text);
    expect(lines.every((line) => line.length <= 402 && line.isWellFormed())).toBe(true);
  });
});

describe('the rows in view', () => {
  test.each([3, 1000, 5_000_000])('of %d reach from the first to the last', (count) => {
    const view = 600;
    const top = rowWindow(count, 26, 0, view);
    expect(top).toMatchObject({ first: 0, top: 0 });
    const bottom = rowWindow(count, 26, top.height - view, view);
    expect(bottom.end).toBe(count);
    expect(bottom.top + (bottom.end - bottom.first) * 26).toBeCloseTo(bottom.height, 3);
    expect(bottom.end - bottom.first).toBeLessThan(40);
  });

  test('a row that is moved to is in view', () => {
    for (const count of [1000, 5_000_000]) {
      for (const row of [0, 17, count >> 1, count - 1]) {
        const scrollTop = scrollTopFor(row, count, 26, 300, 600) ?? 300;
        const { first, end } = rowWindow(count, 26, scrollTop, 600);
        expect(first <= row && row < end, `${row} of ${count}`).toBe(true);
      }
    }
  });
});
