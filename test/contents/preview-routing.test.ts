import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { type Contents, createEntry } from '../../src/content/registry/contents.ts';
import type { Explanation } from '../../src/engine/trace.ts';
import { entryRouting, type RoutingOptions } from '../../src/server/requests/content-routing.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { previewOf } from './preview-of.ts';

/** A request to a preview ends on the content that it began with, even if the preview closes meanwhile. */

afterEach(closeServers);

async function serve(options: Partial<RoutingOptions>) {
  const base = await openShared(thingSnapshot({ name: { type: 'string' } }, []), { public: true });
  const preview = previewOf(base, [[{ upsert: 'api::thing.thing', entry: { documentId: 'd', name: 'new' } }]]);
  const failed: unknown[] = [];
  const routing = entryRouting({ first: null } as unknown as Contents, null, {
    log: pino({ level: 'silent' }),
    before: [],
    staticHeaders: { of: () => ['Vary', 'Origin'] },
    unsent: { take: () => true },
    slowQueries: { isSlow: () => false },
    times: null,
    freshness: () => null,
    idOf: () => 'id',
    cookie: { sameSite: 'lax', frameAncestors: [] },
    onError: (_: unknown, error: unknown) => failed.push(error),
    ...options,
  } as unknown as RoutingOptions);
  const port = await listen(
    routing(createEntry({ name: 'pr', content: null, preview, error: null, put: preview.put })).answer,
  );
  return { port, preview, failed };
}

test('its slow query is explained later', async () => {
  const explain: (() => Explanation)[] = [];
  const slowQueries = { isSlow: () => true, report: (_: unknown, later: () => Explanation) => explain.push(later) };
  const { port, preview } = await serve({ slowQueries: slowQueries as never });
  const answer = await askServer(port, '/api/things?filters[name][$contains]=new');
  expect(answer.json().meta.pagination.total).toBe(1);
  preview.release();
  expect(explain).toHaveLength(1);
  expect(explain[0]()).toMatchObject({ status: 200 });
});

test('its home page is rendered when the freshness is known', async () => {
  let close = () => {};
  const freshness = async () => {
    close();
    return null;
  };
  const { port, preview, failed } = await serve({ freshness });
  close = () => preview.release();
  const page = await askServer(port, '/');
  expect([page.status, failed]).toEqual([200, []]);
  expect(page.body.toString()).toContain('/api/things');
});
