import { afterEach, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { samples } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { folderOfSnapshots, startContents, stopAll } from './running-contents.ts';

/** How requests are answered where a process serves several contents. */

afterEach(async () => {
  await stopAll();
  closeServers();
});

const metricsOf = async (adminPort: number) => samples((await askServer(adminPort, '/_metrics')).body.toString());

describe('a request', () => {
  test('is answered by the content of its host or path, otherwise by the first', async () => {
    const { title } = await startContents({ given: ['main', 'pr-1'] });
    expect(await title('')).toBe('main');
    expect(await title('/main')).toBe('main');
    expect(await title('/pr-1')).toBe('pr-1');
    expect(await title('', 'pr-1.example.org')).toBe('pr-1');
    expect(await title('', 'other.example.org')).toBe('main');
    expect(await title('/pr-2')).toBe(404);
    expect(await title('/pr-1', 'pr-1.example.org')).toBe(404);
  });

  test('gets the same reply by path, by host and with an absolute URL', async () => {
    const { port } = await startContents({ given: ['main', 'pr-1'] });
    const replies = await Promise.all([
      askServer(port, '/pr-1/api/things?fields=title'),
      askServer(port, '/api/things?fields=title', { headers: { Host: 'pr-1.example.org' } }),
      askServer(port, `http://127.0.0.1:${port}/pr-1/api/things?fields=title`),
    ]);
    const [first] = replies.map(({ body, headers }) => [body.toString(), headers.etag]);
    for (const { body, headers } of replies) expect([body.toString(), headers.etag]).toEqual(first);
    expect(first[0]).toContain('pr-1');
  });

  test('finds health and readiness below every host and path', async () => {
    const { port } = await startContents({ given: ['main', 'pr-1'] });
    expect((await askServer(port, '/_health', { headers: { Host: 'pr-1.example.org' } })).status).toBe(204);
    expect((await askServer(port, '/pr-1/_health')).status).toBe(204);
  });

  test('under way ends on the content that is deleted meanwhile', async () => {
    const running = await startContents({ given: ['main', 'pr-1'] });
    const content = running.contents.get('pr-1')!.content!;
    const reply = await content.answer('/api/things');
    let finish = () => {};
    const answer = vi
      .spyOn(content, 'answerPath')
      .mockReturnValueOnce(new Promise((resolve) => (finish = () => resolve(reply))));
    const underWay = running.title('/pr-1');
    await waitFor(() => expect(answer).toHaveBeenCalled());
    expect((await running.delete('pr-1')).status).toBe(204);
    expect(await running.title('/pr-1')).toBe(404);
    finish();
    expect(await underWay).toBe('pr-1');
  });

  test('with a token is accepted by the contents that know it', async () => {
    const running = await startContents({ given: ['main', 'pr-1'] });
    const tokens = [{ name: 'preview', sha256: sha256('preview'), type: 'full-access' }];
    await running.put('pr-2', { body: { snapshot: 'one.json', tokens } });
    const statuses = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const paths = ['/api/things', '/pr-1/api/things', '/pr-2/api/things'];
      return Promise.all(paths.map(async (path) => (await askServer(running.port, path, { headers })).status));
    };
    expect(await statuses('all')).toEqual([200, 200, 401]);
    expect(await statuses('preview')).toEqual([401, 401, 200]);
  });

  test('is limited by the token that its own content knows', async () => {
    const settings = { rateLimit: { requests: 1, tokenRequests: 3, seconds: 60 } };
    const { port } = await startContents({ given: ['main', 'pr-1'], settings });
    const headers = { Authorization: 'Bearer all' };
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await askServer(port, '/pr-1/api/things', { headers })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

describe('the home page', () => {
  const links = async (port: number, path: string, host = 'localhost') => {
    const { body } = await askServer(port, path, { headers: { Host: host } });
    return [...body.toString().matchAll(/href="([^"#]+)"/g)].map(([, url]) => url.replaceAll('&amp;', '&'));
  };

  test('of a path has links below the path, which work', async () => {
    const { port } = await startContents({ given: ['main', 'pr-1'] });
    for (const path of ['/pr-1', '/pr-1/', '/pr-1/?x=1']) {
      const found = await links(port, path);
      expect(found).toContain('/pr-1/api/things');
      expect(found).toContain('/pr-1/_explorer');
      expect(found.every((url) => /^\/pr-1\/(?:api\/|_explorer$)/.test(url))).toBe(true);
      for (const url of found) expect((await askServer(port, url)).status).toBe(200);
    }
  });

  test('of a host and of the first content has links to the root', async () => {
    const { port } = await startContents({ given: ['main', 'pr-1'] });
    await links(port, '/pr-1/');
    expect(await links(port, '/', 'pr-1.example.org')).toContain('/api/things');
    expect(await links(port, '/')).toContain('/api/things');
  });
});

describe('metrics', () => {
  test('have a label for the content only while there are several', async () => {
    const running = await startContents();
    const contentLabels = async () => {
      const names = [...(await metricsOf(running.adminPort)).keys()];
      return [...new Set(names.map((name) => /content="([^"]*)"/.exec(name)?.[1]).filter(Boolean))].sort();
    };
    await running.title('');
    expect(await contentLabels()).toEqual([]);
    await running.put('pr-1', { body: { snapshot: 'one.json' } });
    await running.title('/pr-1');
    expect(await contentLabels()).toEqual(['main', 'pr-1']);
    const counts = await metricsOf(running.adminPort);
    const count = (content: string) =>
      counts.get(`lectern_http_request_duration_seconds_count{content="${content}",route="/api/things",status="200"}`);
    expect([count('main'), count('pr-1')]).toEqual([1, 1]);
    expect(counts.get('lectern_entries{content="pr-1"}')).toBe(1);
    await running.delete('pr-1');
    expect(await contentLabels()).toEqual([]);
  });

  test('count the replies of a content that is gone', async () => {
    const running = await startContents({ given: ['main', 'pr-1'] });
    for (const path of ['', '/pr-1', '/pr-1']) await running.title(path);
    const count = async () => (await metricsOf(running.adminPort)).get('lectern_http_replies_total{status="200"}');
    expect(await count()).toBe(3);
    await running.delete('pr-1');
    expect(await count()).toBe(3);
  });
});

test('a list shows when each content was last used', async () => {
  const running = await startContents({ given: ['main', 'pr-1'] });
  await running.title('/pr-1');
  const [main, other] = await running.list();
  expect(main.lastUsed).toBeNull();
  expect(Date.now() - Date.parse(other.lastUsed as string)).toBeLessThan(60_000);
});

test('only requests that choose the first content by default or by host are forwarded', async () => {
  const forwarded: string[] = [];
  const upstreamPort = await listen((request, response) => {
    forwarded.push(request.url!);
    response.end();
  });
  const folder = folderOfSnapshots();
  const { port } = await startContents({
    given: ['main', 'pr-1'],
    settings: { upstream: `http://127.0.0.1:${upstreamPort}`, contents: { folder } },
  });
  const post = async (path: string, host = 'localhost') =>
    (await askServer(port, path, { method: 'POST', headers: { Host: host } })).status;
  expect(await post('/api/things')).toBe(200);
  expect(await post('/api/things', 'main.example.org')).toBe(200);
  expect(await post('/main/api/things')).toBe(405);
  expect(await post('/pr-1/api/things')).toBe(405);
  expect(await post('/api/things', 'pr-1.example.org')).toBe(405);
  expect(forwarded).toEqual(['/api/things', '/api/things']);
});
