import { expect, test } from 'vitest';
import { noticesOf } from '../../src/admin-page/state/notices.ts';
import type { ListedContent } from '../../src/admin-page/state/replies.ts';
import { durationText, timeText } from '../../src/admin-page/state/times.ts';

/** What the page says an operator should know, the worst first. */

const nothing = {
  status: { token: { name: 'ops', rights: ['pin'] }, contents: [{ name: 'main' }] },
  readiness: null,
  unready: null,
  contents: [],
  metrics: [],
};

const listed = (parts: Partial<ListedContent>): ListedContent => ({
  name: 'main',
  version: null,
  entries: null,
  host: null,
  bytes: null,
  age: null,
  lastUsed: null,
  lifetimeLeft: null,
  error: null,
  ...parts,
});

test('nothing is nothing', () => {
  expect(noticesOf(nothing)).toEqual([]);
  expect(noticesOf({ ...nothing, readiness: { sources: [] }, contents: [listed({})] })).toEqual([]);
});

const at = '2026-11-28T09:30:00.000Z';
const sourceError = { failedAt: at, message: 'no answer' };

test.each([
  ['a server without content', { unready: 'it loads' }, ['error', null, /^No content/, 'it loads']],
  [
    'a failed reload',
    { readiness: { reload: { failedAt: at, error: 'a.json: not JSON' } } },
    ['error', null, /^The reload failed/, 'a.json: not JSON'],
  ],
  ['a failed journal', { readiness: { journal: 'no disk' } }, ['error', null, /^The journal/, 'no disk']],
  [
    'a source that is away',
    {
      readiness: {
        sources: [
          { content: 'main', source: 'x', ageSeconds: 1, lagSeconds: null, error: sourceError, failuresInARow: 2 },
          { content: 'fine', source: 'y', ageSeconds: 1, lagSeconds: null, failuresInARow: 0 },
        ],
      },
    },
    ['error', 'main', /, 2 failures in a row$/, 'no answer'],
  ],
  [
    'a content that is not loaded',
    { contents: [listed({ error: 'broken' })] },
    ['error', 'main', /^It could not be loaded$/, 'broken'],
  ],
  [
    'a preview that does not fit',
    { contents: [listed({ name: 'pr', base: 'main', error: 'gone' })] },
    ['error', 'pr', /do not fit “main”$/, 'gone'],
  ],
  [
    'lost lines of the log',
    { metrics: [{ name: 'lectern_log_lost_lines_total', labels: {}, value: 3 }] },
    ['warning', null, /: 3$/, ''],
  ],
  [
    'a pinned version',
    { readiness: { pinned: [{ content: 'main', version: '1-2', since: at }] } },
    ['note', 'main', /^Pinned to 1-2 since/, expect.any(String)],
  ],
] as const)('%s', (_, known, [level, content, title, text]) => {
  const expected = { level, content, title: expect.stringMatching(title), text };
  expect(noticesOf({ ...nothing, ...(known as object) })).toEqual([expected]);
});

test('errors come before warnings, and warnings before notes', () => {
  const warnings = [
    { kind: 'unknown-key', count: 1200, message: 'a; b' },
    { kind: 'uploads', count: 1, message: 'c' },
  ];
  const found = noticesOf({
    ...nothing,
    status: { ...nothing.status, contents: [{ name: 'main', warnings }] },
    readiness: { pinned: [{ content: 'main', version: '1-2', since: at }] },
    contents: [listed({ error: 'broken' })],
  });
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual([
    'error: It could not be loaded',
    'warning: unknown-key, 1,200 times',
    'warning: uploads',
    expect.stringMatching(/^note: Pinned/),
  ]);
});

test.each([
  [0.04, '0 seconds'],
  [0.4, '0.4 seconds'],
  [1, '1 second'],
  [90, '90 seconds'],
  [120, '2 minutes'],
  [5400, '90 minutes'],
  [7200, '2 hours'],
  [200_000, '2 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('a time that is none is shown as it is', () => {
  expect(timeText('<b>')).toBe('<b>');
  expect(timeText(at)).toContain('28 Nov 2026');
});
