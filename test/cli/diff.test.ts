import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeDifferences } from '../../src/changes/diff/describe-differences.ts';
import type { SnapshotDifferences, ValueChange } from '../../src/changes/diff/differences.ts';
import { CommandLine } from './command-line.ts';

const lectern = new CommandLine();
const before = lectern.writeSnapshot('before', 'ada');
const after = lectern.writeSnapshot('after', 'ada');
lectern.write('after/entries/note.json', [
  { id: 1, documentId: 'one', title: 'First edition' },
  { id: 3, documentId: 'three', title: 'Third' },
]);
lectern.write('after/roles.json', [
  { type: 'public', permissions: ['api::note.note.find', 'api::writer.writer.find'] },
  { type: 'authenticated', permissions: ['api::note.note.find', 'api::writer.writer.find'] },
]);

describe.concurrent('lectern diff', () => {
  test('prints what changed and exits with 1, the same each time', async () => {
    const [first, again] = await Promise.all([
      lectern.run(['diff', before, after]),
      lectern.run(['diff', before, after]),
    ]);
    expect(first).toEqual(again);
    expect(first).toEqual({
      code: 1,
      stderr: '',
      stdout: [
        'role public changed: permissions 1 added, 0 removed',
        '  + api::writer.writer.find',
        'api::note.note: 1 added, 1 removed, 1 changed',
        '  ~ one',
        '      title: "First" -> "First edition"',
        '      author: ada -> null',
        '  + three',
        '  - two',
        '',
      ].join('\n'),
    });
  });

  test('prints JSON with --json', async () => {
    const { code, stdout } = await lectern.run(['diff', before, after, '--json']);
    expect(code).toBe(1);
    const { isEqual, entries, types } = JSON.parse(stdout) as SnapshotDifferences;
    expect([isEqual, types]).toEqual([false, []]);
    expect(entries.map(({ kind, documentId }) => `${kind} ${documentId}`)).toEqual([
      'changed one',
      'added three',
      'removed two',
    ]);
  });

  test('a snapshot equals its image: exits with 0', async () => {
    const image = join(lectern.folder, 'before.lectern');
    await lectern.run(['build', before, '--out', image]);
    expect(readFileSync(image).length).toBeGreaterThan(0);
    const [words, json] = await Promise.all([
      lectern.run(['diff', before, image]),
      lectern.run(['diff', image, before, '--json']),
    ]);
    expect(words).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The snapshots are equal, version \w{32}\.\n$/),
    });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ isEqual: true, entries: [] });
  });

  test('exits with 2 for a snapshot that does not load, and names it', async () => {
    const dangling = lectern.writeSnapshot('dangling', 'nobody');
    const refused = await lectern.run(['diff', before, dangling]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/dangling: [\s\S]*note[\s\S]*author[\s\S]*nobody/);
    expect((await lectern.run(['diff', before, dangling, '--lenient'])).code).toBe(1);
    const missing = await lectern.run(['diff', join(lectern.folder, 'nowhere'), before]);
    expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('nowhere') });
  });

  test.each([
    ['a missing snapshot', ['diff', before], /missing required argument 'after'/],
    ['a limit that is no number', ['diff', before, after, '--limit', '1.5'], /'--limit <number>'.*'1\.5'/],
    ['a config', ['diff', before, after, '--config', 'none.json'], /none\.json: cannot be read/],
  ])('exits with 2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await lectern.run(args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('differences in words', () => {
  const noList = { added: [], removed: [] };
  const nothing: SnapshotDifferences = {
    isEqual: false,
    versions: { before: '1', after: '2' },
    settings: [],
    locales: noList,
    roles: [],
    blockedUsers: noList,
    uploads: null,
    types: [],
    entries: [],
  };
  const key = { type: 'api::a.a', documentId: 'd', id: null, locale: null, status: null };
  const lines = (differences: Partial<SnapshotDifferences>, limit = 10) =>
    describeDifferences({ ...nothing, ...differences }, limit);
  const change = (...changes: ValueChange[]) => lines({ entries: [{ ...key, kind: 'changed', changes }] }).slice(2);
  const value = (old: unknown, current: unknown): ValueChange => {
    return { path: 'x', kind: 'value', before: old, after: current };
  };

  test('list as many lines as the limit allows, and count the others', () => {
    const entries = ['a', 'b', 'c'].map((documentId) => ({ ...key, documentId, kind: 'added', changes: [] }) as const);
    expect(lines({ entries, locales: { added: ['de'], removed: ['fr'] } }, 1)).toEqual([
      'locales: 1 added, 1 removed',
      '  + de',
      '  and 1 more',
      'api::a.a: 3 added',
      '  + a',
      '  and 2 more',
    ]);
    expect(lines({ entries }, 0)).toEqual(['api::a.a: 3 added', '  and 3 more']);
  });

  test('name entries by documentId or id, locale and status', () => {
    const entries = [
      { ...key, locale: 'en', status: 'draft', kind: 'removed', changes: [] },
      { ...key, documentId: null, id: 7, kind: 'removed', changes: [] },
      { ...key, documentId: 'two words', kind: 'removed', changes: [] },
      { ...key, documentId: 'z', kind: 'minor', changes: [] },
    ] as const;
    expect(lines({ entries })).toEqual([
      'api::a.a: 3 removed, 1 with minor differences',
      '  - d (en, draft)',
      '  - id 7',
      '  - "two words"',
    ]);
  });

  test('shorten values, from shortly before their first difference', () => {
    const long = 'abcdefghij'.repeat(20);
    expect(change(value(long, null))).toEqual([`      x: "${long.slice(0, 58)}… -> null`]);
    expect(change(value(`${long}1`, `${long}2`))).toEqual(['      x: …abcdefghij1" -> …abcdefghij2"']);
  });

  test('escape what a terminal would obey', () => {
    expect(change(value('\u001b[2J\u009b\u202e', 1))).toEqual(['      x: "\\u001b[2J\\u009b\\u202e" -> 1']);
  });

  test('name the targets of a list that were added or removed, or say that their order changed', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((documentId) => ({ ...key, documentId }));
    const relation = (old: object[], current: object[]) =>
      change({ path: 'x', kind: 'relation', before: old, after: current } as ValueChange);
    expect(relation([a!, b!], [c!, b!])).toEqual(['      x: + c; - a']);
    expect(relation([a!, b!], [b!, a!])).toEqual(['      x: another order']);
    expect(change({ path: 'x', kind: 'private', before: null, after: null })).toEqual(['      x (private)']);
  });

  test('describe types and settings', () => {
    const attribute = { name: 'n', before: { type: 'string', many: true }, after: { type: 'text', many: true } };
    const types = [
      { type: 'api::a.a', kind: 'added', properties: [], attributes: [], isReordered: false },
      {
        type: 'api::b.b',
        kind: 'changed',
        properties: [value(false, true)],
        attributes: [attribute, { ...attribute, before: null }, { ...attribute, after: null }],
        isReordered: true,
      },
    ] as const;
    expect(lines({ types, settings: [value('en', 'de')] })).toEqual([
      'settings',
      '  x: "en" -> "de"',
      'type api::a.a added',
      'type api::b.b changed',
      '  x: false -> true',
      '  ~ attribute n: type "string" -> "text"',
      '  + attribute n',
      '  - attribute n',
      '  ~ order of attributes',
    ]);
  });
});
