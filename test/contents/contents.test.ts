import { describe, expect, test } from 'vitest';
import { type ContentEntry, Contents, type ContentsChange, createEntry } from '../../src/content/registry/contents.ts';

/** Which content a request chooses. */

const entry = (name: string): ContentEntry => createEntry({ name, content: null, error: null, put: null });

const putEntry = (name: string): ContentEntry => {
  const put = { name, snapshot: 'x', isUploaded: false, tokens: [], putAt: '2026-01-01T00:00:00Z', expires: null };
  return createEntry({ name, content: null, error: null, put });
};

function contentsOf(...[first, ...others]: ContentEntry[]): Contents {
  const contents = new Contents(first, 'preview.example.org');
  for (const other of others) contents.set(other);
  return contents;
}

const contents = contentsOf(entry('main'), entry('pr-42'), entry('127'), putEntry('www'), putEntry('pr-7'));
const chosen = (host: string | undefined, url: string) => {
  const { entry: found, url: rest } = contents.choose(host, url);
  return `${found.name} ${rest}`;
};

describe('a host chooses', () => {
  test.each([
    ['pr-42.example.org', 'pr-42 /api/x'],
    ['PR-42.Example.org:8080', 'pr-42 /api/x'],
    ['pr-42.preview.example.org', 'pr-42 /api/x'],
    ['main.example.org', 'main /api/x'],
  ])('%s: a content that is given at the start, by its first label', (host, expected) => {
    expect(chosen(host, '/api/x')).toBe(expected);
  });

  test.each([
    ['pr-7.preview.example.org', 'pr-7 /api/x'],
    ['PR-7.Preview.example.org:8080', 'pr-7 /api/x'],
    ['pr-7.preview.example.org.', 'pr-7 /api/x'],
    ['www.pr-7.preview.example.org', 'pr-7 /api/x'],
    ['a.b.pr-7.preview.example.org', 'pr-7 /api/x'],
    ['www.preview.example.org', 'www /api/x'],
  ])('%s: a content that was put, by the label before contents.domain', (host, expected) => {
    expect(chosen(host, '/api/x')).toBe(expected);
  });

  test.each([
    'www.example.org',
    'pr-7.example.org',
    'pr-7.preview.example.org.example.com',
    'pr-7xpreview.example.org',
    'pr-7.xpreview.example.org',
    'pr-7.x.preview.example.org',
    'preview.example.org',
    '.preview.example.org',
    'localhost',
    'example.org',
    'pr-42',
    'pr-421.example.org',
    '[::1]:80',
    '',
    undefined,
  ])('%s: no content, so the first one answers', (host) => {
    expect(chosen(host, '/api/x')).toBe('main /api/x');
  });

  test('a content that was put by the hosts below its own, whose first label may be the name of another', () => {
    expect(chosen('main.pr-7.preview.example.org', '/api/x')).toBe('pr-7 /api/x');
    expect(chosen('pr-42.pr-7.preview.example.org', '/api/x')).toBe('pr-7 /api/x');
    expect(chosen('pr-42.main.preview.example.org', '/api/x')).toBe('pr-42 /api/x');
  });

  test('no content that was put if there is no domain', () => {
    const without = new Contents(entry('main'));
    without.set(putEntry('www'));
    for (const host of ['www.example.org', 'www.localhost', 'www.undefined', 'www']) {
      expect(without.choose(host, '/api/x').entry.name).toBe('main');
    }
    expect(without.choose('example.org', '/www/api/x').entry.name).toBe('www');
  });

  test('no content if it is an address whose first number is a name', () => {
    expect(chosen('127.0.0.1:1337', '/api/x')).toBe('main /api/x');
  });

  test('before the path does', () => {
    expect(chosen('main.example.org', '/pr-42/api/x')).toBe('main /pr-42/api/x');
  });
});

describe('a path chooses by its first segment, which is cut off', () => {
  test.each([
    ['/pr-42/api/x?a=/b', 'pr-42 /api/x?a=/b'],
    ['/pr-42/', 'pr-42 /'],
    ['/pr-42', 'pr-42 /'],
    ['/pr-42?a=1', 'pr-42 /?a=1'],
    ['/main/pr-42/x', 'main /pr-42/x'],
  ])('%s', (url, expected) => {
    expect(chosen('example.org', url)).toBe(expected);
  });

  test.each(['/', '/PR-42/x', '/pr-4/x', '/pr-42x', '/pr%2D42/x', '//pr-42/x', '/x/pr-42', '*'])(
    '%s names no content',
    (url) => {
      expect(chosen('example.org', url)).toBe(`main ${url}`);
    },
  );
});

describe('a change', () => {
  test('replaces a content in one step, with its host', () => {
    const changing = contentsOf(entry('main'), putEntry('a'));
    const next = putEntry('a');
    changing.set(next);
    expect(changing.choose('a.preview.example.org', '/').entry).toBe(next);
    expect(changing.all).toEqual([changing.first, next]);
  });

  test('removes a content with its host', () => {
    const changing = contentsOf(entry('main'), putEntry('a'));
    changing.delete('a');
    expect(changing.choose('a.preview.example.org', '/a/x')).toMatchObject({ entry: changing.first, url: '/a/x' });
  });

  test('is reported to listeners, and made when they have made it', async () => {
    const changing = contentsOf(entry('main'));
    const changes: [ContentsChange, number][] = [];
    let made = 0;
    changing.onChange(async (change) => {
      changes.push([change, changing.all.length]);
      await Promise.resolve();
      made++;
    });
    const added = entry('a');
    const adding = changing.set(added);
    expect([changing.get('a'), made]).toEqual([added, 0]);
    await adding;
    expect(made).toBe(1);
    await changing.update(added);
    await changing.delete('a');
    await changing.update(added);
    expect(changes).toEqual([
      [{ kind: 'set', entry: added }, 2],
      [{ kind: 'set', entry: added }, 2],
      [{ kind: 'delete', name: 'a' }, 1],
    ]);
  });

  test('has an entry of its own', () => {
    expect(entry('a').id).not.toBe(entry('a').id);
  });
});
