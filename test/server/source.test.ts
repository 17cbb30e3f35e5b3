import { describe, expect, test } from 'vitest';
import type { Freshness } from '../../src/content/registry/content-source.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import { freshnessOf } from '../support/freshness.ts';
import { askServer } from '../support/http.ts';
import { openThings, samples, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** How fresh a content is that follows a source, in `/_ready`, the metrics and the page at `/`. */

stopServersAfterEach();

const folder = '/home/strapi/site';
const hour = 3_600_000;

async function startWith(others: Partial<Freshness>, settings: object = {}) {
  const running = await startEmpty(settings);
  const source = { freshness: freshnessOf(folder, others), hint: () => {}, onRead: () => () => {} };
  const content = await openThings({ public: true });
  const entry = createEntry({ name: 'main', content, source, error: null, put: null });
  const contents = new Contents(entry);
  running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, null) });
  return running;
}

const failed = () => ({
  readAt: Date.now() - 2 * hour,
  error: { message: `${folder}: the database is locked`, at: Date.now() - 90_000 },
  failuresInARow: 3,
  failures: 7,
});

describe('/_ready', () => {
  test('says on the admin port how old the content is, and why', async () => {
    const { adminPort } = await startWith({ ...failed(), lag: 250 }, { adminPort: 0 });
    const { status, json } = await askServer(adminPort, '/_ready');
    expect(status).toBe(200);
    const [source, ...others] = json().sources;
    expect(others).toEqual([]);
    expect(source).toEqual({
      content: 'main',
      source: folder,
      readAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ageSeconds: expect.closeTo(7200, -1),
      lagSeconds: 0.25,
      error: { failedAt: expect.stringMatching(/Z$/), message: `${folder}: the database is locked` },
      failuresInARow: 3,
    });
  });

  test('names no path on the main port', async () => {
    const { port } = await startWith(failed());
    const { status, body, json } = await askServer(port, '/_ready');
    expect([status, body.includes(folder)]).toEqual([200, false]);
    expect(json().sources).toMatchObject([{ source: 'a Strapi', error: { message: 'the log says what went wrong' } }]);
  });

  test('says nothing of content that follows no source', async () => {
    const { server, port } = await startEmpty();
    const content = await openThings();
    const contents = new Contents(createEntry({ name: 'main', content, error: null, put: null }));
    server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, null) });
    expect((await askServer(port, '/_ready')).json()).toEqual({ ready: true });
    expect((await askServer(port, '/')).body.toString()).not.toContain('Content from');
    expect((await askServer(port, '/_metrics')).body.toString()).not.toMatch(/^lectern_source_/m);
  });
});

test('the metrics have age, lag and counts of each content with a source', async () => {
  const { port } = await startWith({ ...failed(), lag: 250, batches: 5, reloads: 2 });
  const found = samples((await askServer(port, '/_metrics')).body.toString());
  const value = (name: string) => found.get(`lectern_source_${name}{content="main"}`);
  expect(value('age_seconds')).toBeCloseTo(7200, -1);
  expect(value('lag_seconds')).toBe(0.25);
  expect(value('failures_in_a_row')).toBe(3);
  expect(value('errors_total')).toBe(7);
  expect(value('batches_total')).toBe(5);
  expect(value('reloads_total')).toBe(2);
});

test('the metrics have no age before the source was read', async () => {
  const { port } = await startWith({});
  const found = samples((await askServer(port, '/_metrics')).body.toString());
  expect([...found.keys()].filter((name) => name.startsWith('lectern_source_')).sort()).toEqual([
    'lectern_source_batches_total{content="main"}',
    'lectern_source_errors_total{content="main"}',
    'lectern_source_failures_in_a_row{content="main"}',
    'lectern_source_reloads_total{content="main"}',
  ]);
});

test('the page at / says how old the content is, and is not kept', async () => {
  const { port } = await startWith(failed(), { adminPort: 0 });
  const { body, headers } = await askServer(port, '/');
  expect(body.toString()).toContain(
    '<p class="quiet">Content from a Strapi, as of 2 hours ago. The last attempt to read it was 1 minute ago: the log says what went wrong.</p>',
  );
  expect(body.toString()).not.toContain(folder);
  expect(headers['cache-control']).toBe('no-store');
});
