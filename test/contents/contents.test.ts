import { describe, expect, test } from 'vitest';
import { type ContentEntry, Contents, type ContentsChange, createEntry } from '../../src/contents/contents.ts';

/** Which content a request chooses. */

const entry = (name: string, hosts: string[] = []): ContentEntry =>
  createEntry({ name, hosts, content: null, error: null, put: null });

function contentsOf(...[first, ...others]: ContentEntry[]): Contents {
  const contents = new Contents(first);
  for (const other of others) contents.set(other);
  return contents;
}

const contents = contentsOf(entry('main'), entry('pr-42', ['preview.example.org']), entry('127'));
const chosen = (host: string | undefined, url: string) => {
  const { entry: found, url: rest } = contents.choose(host, url);
  return `${found.name} ${rest}`;
};

describe('a host chooses', () => {
  test.each([
    ['pr-42.example.org', 'pr-42 /api/x'],
    ['PR-42.Example.org:8080', 'pr-42 /api/x'],
    ['preview.example.org', 'pr-42 /api/x'],
    ['preview.example.org:80', 'pr-42 /api/x'],
    ['main.example.org', 'main /api/x'],
  ])('%s by its first label or exactly', (host, expected) => {
    expect(chosen(host, '/api/x')).toBe(expected);
  });

  test.each(['example.org', 'pr-42', 'pr-421.example.org', 'www.preview.example.org', '[::1]:80', '', undefined])(
    '%s: no content, so the first one answers',
    (host) => {
      expect(chosen(host, '/api/x')).toBe('main /api/x');
    },
  );

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
  test('replaces a content in one step, with its hosts', () => {
    const changing = contentsOf(entry('main'), entry('a', ['old.example.org']));
    const next = entry('a', ['new.example.org']);
    changing.set(next);
    expect(changing.choose('new.example.org', '/').entry).toBe(next);
    expect(changing.choose('old.example.org', '/').entry).toBe(changing.first);
    expect(changing.all).toEqual([changing.first, next]);
  });

  test('removes a content with its hosts', () => {
    const changing = contentsOf(entry('main'), entry('a', ['a.example.org']));
    changing.delete('a');
    expect(changing.choose('a.example.org', '/a/x')).toMatchObject({ entry: changing.first, url: '/a/x' });
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

  test('finds a host that chooses another content', () => {
    expect(contents.conflict('new', ['free.example.org', 'preview.example.org'])).toEqual({
      host: 'preview.example.org',
      owner: 'pr-42',
    });
    expect(contents.conflict('new', ['main.example.org'])?.owner).toBe('main');
    expect(contents.conflict('pr-42', ['preview.example.org', 'pr-42.example.org'])).toBeNull();
  });
});
