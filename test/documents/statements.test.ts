/** Statements of the pages that can be compared with the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askServer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { codesIn, pageAt, pages, project, rowsBelow } from './pages.ts';

const read = (file: string) => readFileSync(join(project, file), 'utf8');

describe('versions of Node', () => {
  test('the README and CONTRIBUTING name those of package.json', () => {
    const { node } = JSON.parse(read('package.json')).engines as { node: string };
    const oldest = Array.from(node.matchAll(/(\d+\.\d+)\.0/g), ([, version]) => version);
    expect(oldest).toHaveLength(2);
    for (const path of ['README.md', 'CONTRIBUTING.md']) {
      for (const version of oldest) expect(pageAt(path).text).toContain(`Node ${version} or later`);
    }
  });

  test('deployment and security name the same ones for production, and the image has one of them', () => {
    const versionsIn = (text: string) => Array.from(text.matchAll(/\b2\d\.\d+\.\d+\b/g), ([version]) => version);
    const [line] = pageAt('docs/security.md').text.match(/^- \*\*Node\*\*.*$/m)!;
    const safe = versionsIn(line);
    expect(safe).toHaveLength(3);
    expect(versionsIn(/^Use at least Node.*? or \S+:/m.exec(pageAt('docs/deployment.md').text)![0])).toEqual(safe);
    const inImages = versionsIn(read('deploy/Dockerfile'));
    expect(inImages.length).toBeGreaterThan(0);
    const partsOf = (version: string) => version.split('.').map(Number);
    for (const [major, minor, patch] of inImages.map(partsOf)) {
      const [, safeMinor, safePatch] = safe.map(partsOf).find(([each]) => each === major)!;
      expect(minor > safeMinor || (minor === safeMinor && patch >= safePatch)).toBe(true);
    }
  });
});

test('the README gives the times and rates of the run that it links to', () => {
  const { text } = pageAt('README.md');
  const [, file] = /\]\((bench\/results\/[^)]+\.json)\)/.exec(text)!;
  interface Run {
    inprocess: {
      content: string;
      queries: { name: string; peers: { peer: string; turns: { median: number }[] }[] }[];
    }[];
    http: { content: string; rows: { server: string; load: string; rounds: { requestsPerSecond: number }[] }[] }[];
  }
  const { inprocess, http } = JSON.parse(read(file)) as Run;
  const isMagazine = ({ content }: { content: string }) => content === 'magazine';
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
  const microseconds = (name: string) => {
    const { peers } = inprocess.find(isMagazine)!.queries.find((query) => query.name === name)!;
    const { turns } = peers.find(({ peer }) => peer === 'lectern')!;
    return Math.round(median(turns.map((turn) => turn.median)) * 1000);
  };
  const thousands = (load: string) => {
    const { rows } = http.find(isMagazine)!;
    const { rounds } = rows.find((row) => row.server === 'lectern serve' && row.load === load)!;
    return `${Math.round(median(rounds.map((round) => round.requestsPerSecond)) / 1000)},000`;
  };
  const rows = rowsBelow(pageAt('README.md'), '## Speed');
  const given = (request: string) => rows.find(([name]) => name === request)?.[1];
  expect(given('an entry by its slug, in process, without caches')).toBe(`${microseconds('slug')} µs`);
  const filtered = '25 articles filtered through two relations, in process, without caches';
  expect(given(filtered)).toBe(`${microseconds('deep2')} µs`);
  const atDifferentUrls = 'single entries at different URLs, over HTTP';
  expect(given(atDifferentUrls)).toBe(`${thousands('different URLs, one entry')} a second`);
  expect(given('one URL, over HTTP')).toBe(`${thousands('one URL, one entry')} a second`);
});

test('docs/tolerance.md lists every kind of warning about a snapshot', () => {
  const table = /const tolerated = \{([\s\S]*?)\n\}/.exec(read('src/core/problems.ts'))![1];
  const kinds = Array.from(table.matchAll(/^ {2}'([a-z-]+)':/gm), ([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(10);
  const rows = rowsBelow(pageAt('docs/tolerance.md'), '## Tolerated mistakes');
  expect(rows.flatMap(([kind]) => codesIn(kind)).sort()).toEqual(kinds.sort());
});

describe('docs/deployment.md and docs/http.md', () => {
  stopServersAfterEach();
  const deployment = pageAt('docs/deployment.md');

  test('name metrics, and list the caches and the Vary header of a server', async () => {
    const content = await openShared(join(project, 'data/demo'));
    const { port, adminPort } = await start(
      { rateLimit: { requests: 100 }, webhook: { url: 'http://127.0.0.1:9' }, adminPort: 0 },
      content,
    );
    const { headers } = await askServer(port, '/api/articles');
    expect(pageAt('docs/http.md').text).toContain(`\`Vary: ${headers.vary}\``);

    const text = String((await askServer(adminPort, '/_metrics')).body);
    const names = Array.from(text.matchAll(/^# TYPE (lectern_\w+)/gm), ([, name]) => name);
    const listed = rowsBelow(deployment, '## Metrics').flatMap(([name]) => codesIn(name));
    const watched = listed.filter((name) => name.startsWith('lectern_'));
    expect(watched.length).toBeGreaterThan(15);
    expect(watched.filter((name) => !names.includes(name))).toEqual([]);
    const withHelp = Array.from(text.matchAll(/^# HELP (lectern_\w+) \S/gm), ([, name]) => name);
    expect(withHelp.sort()).toEqual(names.sort());

    const caches = new Set(Array.from(text.matchAll(/^lectern_cache_bytes\{cache="(\w+)"\}/gm), ([, name]) => name));
    const rows = rowsBelow(deployment, '### Caches').filter(([name]) => name !== '`cache`');
    expect(rows.flatMap(([name]) => codesIn(name)).sort()).toEqual([...caches].sort());
  });
});

test('docs/queries.md prints the plan of its example as `explain` does', async () => {
  const { text } = pageAt('docs/queries.md');
  const [, url, role] = /^lectern explain SNAPSHOT '(.*)' --role (\w+)$/m.exec(text)!;
  const { plan, page } = (await openShared(join(project, 'data/demo'))).explain(url, { role });
  expect(text).toContain(`${plan}\npage: ${page}\n`);
});

describe('docs/architecture.md', () => {
  const { text } = pageAt('docs/architecture.md');
  const pathOf = (name: string) => [join('src', name), name].find((path) => existsSync(join(project, path)));

  test('names files and folders that exist', () => {
    const named = codesIn(text).filter((code) => /^[\w./-]+(?:\.ts|\/)$/.test(code));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => pathOf(name) === undefined)).toEqual([]);
  });

  test('names functions and classes that are in the files beside them', () => {
    const pairs = Array.from(text.matchAll(/`#?([\w.]+)(?:\(\))?` in (?:the same file|`([\w./-]+\.ts)`)/g));
    expect(pairs.length).toBeGreaterThan(15);
    const missing = pairs.filter(([, name, file]) => {
      const source = file && read(pathOf(file)!);
      return source && !name.split('.').every((part) => new RegExp(`\\b${part}\\b`).test(source));
    });
    expect(missing.map(([pair]) => pair)).toEqual([]);
  });

  test('names only what occurs in the code', () => {
    const files = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
    const source = files.filter((file) => file.endsWith('.ts')).map((file) => read(join('src', file)));
    const words = new Set(source.join('\n').match(/[A-Za-z]\w*/g));
    const named = codesIn(text).filter((code) => /^#?[A-Za-z]\w*(?:\.\w+)?(?:\(\))?$/.test(code));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => name.match(/[A-Za-z]\w*/g)!.some((word) => !words.has(word)))).toEqual([]);
  });

  test('prints the plan of its example as `explain` does', async () => {
    const [, path] = /curl -g 'http:\/\/[^/]+(\S+)'/.exec(text)!;
    const { plan, page, cost } = (await openShared(join(project, 'data/demo'))).explain(path, { role: 'public' });
    const [total, limit] = [cost!.total, cost!.limit].map((units) => units.toLocaleString('en-US'));
    expect(text).toContain(`${plan}\npage: ${page}\ncost ${total} of at most ${limit}\n`);
  });

  test('lists every folder of src/ among the rooms', () => {
    const [, rooms] = /```text\n(cli\/[\s\S]*?)```/.exec(text)!;
    for (const entry of readdirSync(join(project, 'src'), { withFileTypes: true })) {
      if (entry.isDirectory()) expect(rooms, entry.name).toMatch(new RegExp(`^${entry.name}/`, 'm'));
    }
  });
});

test('no page begins with a question', () => {
  for (const { path, text } of pages) {
    expect(text.split('\n')[2], path).not.toMatch(/\?$|^(?:How|What|Does) .*\?/);
  }
});

test('settings in pages exist', () => {
  const { text } = pageAt('docs/settings.md');
  const settings = new Set(codesIn(text));
  const groups = 'budgets|timeouts|connections|queue|log|cors|rateLimit';
  for (const page of pages) {
    const named = codesIn(page.text).filter((code) => new RegExp(`^(?:${groups})\\.\\w+$`).test(code));
    expect(
      named.filter((name) => !settings.has(name)),
      page.path,
    ).toEqual([]);
  }
});
