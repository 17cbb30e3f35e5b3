import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NotFoundError } from '../../src/core/errors.ts';
import { appOf } from '../../src/http/app.ts';
import { type AdminRight, adminRights } from '../../src/model/settings/contents.ts';
import { AdminTokens, createAdminRouter } from '../../src/server/admin/admin-routes.ts';
import { adminRoutes } from '../../src/server/admin/admin-server.ts';
import { startContents, stopAll } from '../contents/running-contents.ts';
import { codesIn, pageAt, rowsBelow } from '../documents/pages.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, closeServers, type HttpAnswer, listen } from '../support/http.ts';

/** Every route of the admin port by every right. */

/** The preview `pr` of the content `main`, and `other`, a content of its own that was put. */
const targets = ['pr', 'other', 'main'] as const;
type Target = (typeof targets)[number];

interface Row {
  /** The rights that open the route for every content. */
  readonly rights: readonly AdminRight[];
  /** Whether the right `previews` opens it for previews. */
  readonly takesPreviews?: boolean;
  /** The right that a token needs besides one of these. */
  readonly also?: AdminRight;
  readonly method?: string;
  path(target: Target): string;
  readonly body?: unknown;
}

const thing = 'api::thing.thing';
const changes = [{ upsert: thing, entry: { documentId: 'one', title: 'edited' } }];

/** By method and path, as the routes are declared. */
const rows: Record<string, Row> = {
  'POST /_reload': { rights: ['reload'], path: () => '/_reload' },
  'POST /_changes': {
    rights: ['changes'],
    takesPreviews: true,
    path: (target) => `/_changes?content=${target}`,
    body: { changes },
  },
  'GET /_entries/:type/:documentId': {
    rights: ['changes'],
    takesPreviews: true,
    path: (target) => `/_entries/${thing}/one?content=${target}`,
  },
  // HEAD, because the reply to GET does not end
  'GET /_events': { rights: ['events'], method: 'HEAD', path: (target) => `/_events?content=${target}` },
  'POST /_hooks/strapi': { rights: ['hooks'], path: (target) => `/_hooks/strapi?content=${target}`, body: {} },
  'GET /_pin': { rights: ['pin'], path: (target) => `/_pin?content=${target}` },
  'PUT /_pin': { rights: ['pin'], path: (target) => `/_pin?content=${target}`, body: { version: '1-1' } },
  'DELETE /_pin': { rights: ['pin'], path: (target) => `/_pin?content=${target}` },
  'GET /_status': { rights: adminRights, path: () => '/_status' },
  'GET /_contents': { rights: ['contents'], takesPreviews: true, path: () => '/_contents' },
  'PUT /_contents/:name': {
    rights: ['contents'],
    takesPreviews: true,
    path: (target) => `/_contents/${target}`,
    body: { base: 'main', changes },
  },
  'DELETE /_contents/:name': {
    rights: ['contents'],
    takesPreviews: true,
    path: (target) => `/_contents/${target}`,
  },
  'GET /_contents/:name': { rights: ['contents'], takesPreviews: true, path: (target) => `/_contents/${target}` },
  'GET /_contents/:name/changes': {
    rights: ['contents'],
    takesPreviews: true,
    path: (target) => `/_contents/${target}/changes`,
  },
  'POST /_contents/:name/apply': {
    rights: ['contents'],
    takesPreviews: true,
    also: 'changes',
    path: (target) => `/_contents/${target}/apply`,
    body: {},
  },
  'POST /_contents/:name/rebase': {
    rights: ['contents'],
    takesPreviews: true,
    also: 'changes',
    path: (target) => `/_contents/${target}/rebase`,
    body: {},
  },
  'POST /_contents/:name/ticket': {
    rights: ['contents'],
    takesPreviews: true,
    path: (target) => `/_contents/${target}/ticket`,
  },
};

const tokens = [
  { name: 'all', sha256: sha256('admin'), rights: [...adminRights] },
  ...adminRights.map((right) => ({ name: `${right} only`, sha256: sha256(right), rights: [right] })),
  ...adminRights
    .filter((right) => right !== 'changes')
    .map((right) => ({
      name: `${right} and changes`,
      sha256: sha256(`${right}+changes`),
      rights: [right, 'changes'],
    })),
];

let running: Awaited<ReturnType<typeof startContents>>;
beforeAll(async () => {
  running = await startContents({ settings: { admin: { tokens } } });
});
afterAll(async () => {
  await stopAll();
  closeServers();
});

function ask(token: string | null, path: string, method: string, body?: unknown): Promise<HttpAnswer> {
  const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return askServer(running.adminPort, path, { method, headers, body: JSON.stringify(body) });
}

/** Puts `pr` and `other` if they are not there, or are no longer what they were. */
async function restore(): Promise<void> {
  const listed = new Map((await running.list()).map(({ name, base }) => [name, base]));
  if (listed.get('other') !== undefined || !listed.has('other')) {
    await running.put('other', { body: { snapshot: 'one.json' } });
  }
  if (listed.get('pr') !== 'main') await running.put('pr', { body: { base: 'main' } });
}

const declared = adminRoutes({ served: () => null } as never).map(
  ({ method, path }) => `${method.toUpperCase()} ${path}`,
);

test('the matrix has a row for each route, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual([...declared].sort());
});

test('docs/security.md says what each right allows', () => {
  const listed = rowsBelow(pageAt('docs/security.md'), '## Which right allows what').map(
    ([right]) => codesIn(right)[0],
  );
  expect(listed.slice(1).sort()).toEqual([...adminRights].sort());
});

describe.each(Object.entries(rows))('%s', (route, { rights, takesPreviews = false, also, method, path, body }) => {
  const send = (token: string | null, target: Target) => ask(token, path(target), method ?? route.split(' ')[0], body);

  test('needs a token', async () => {
    await restore();
    for (const target of targets) {
      for (const token of [null, 'unknown', sha256('admin')]) expect((await send(token, target)).status).toBe(401);
    }
  });

  test.each(adminRights)('with the right "%s"', async (right) => {
    for (const target of targets) {
      await restore();
      if (also && right !== also) expect((await send(right, target)).status).toBe(403);
      const { status } = await send(also && right !== also ? `${right}+${also}` : right, target);
      const namesNone = route === 'GET /_contents';
      const isOpen =
        rights.includes(right) || (right === 'previews' && takesPreviews && (target === 'pr' || namesNone));
      expect([right, target, status === 403]).toEqual([right, target, !isOpen]);
      expect(status).not.toBe(401);
      expect(status).toBeLessThan(500);
    }
  });
});

describe('the right "previews"', () => {
  const put = (name: string, body: unknown) => ask('previews', `/_contents/${name}`, 'PUT', body);
  const messageOf = ({ status, json }: HttpAnswer) => [status, json().error.message];
  const refusal = (reason: string) => [403, `Not with the right "previews" alone (admin.tokens): ${reason}`];

  test('puts, reads, changes and deletes a preview', async () => {
    expect((await put('own', { base: 'main', changes, token: 'secret', drafts: true })).status).toBe(201);
    expect((await put('own', { base: 'main' })).status).toBe(200);
    expect((await ask('previews', '/_changes?content=own', 'POST', { changes })).status).toBe(200);
    const read = await ask('previews', `/_entries/${thing}/one?content=own`, 'GET');
    expect(read.json().entries[0].title).toBe('edited');
    expect((await ask('previews', '/_contents/own', 'DELETE')).status).toBe(204);
    expect((await ask('previews', '/_contents/own', 'DELETE')).status).toBe(404);
  });

  test('lists previews with the names of their bases, and nothing of other contents', async () => {
    await restore();
    const { body, json } = await ask('previews', '/_contents', 'GET');
    expect(json().contents.map(({ name, base }: Record<string, unknown>) => [name, base])).toEqual([['pr', 'main']]);
    expect(body.toString()).not.toContain('other');
  });

  test('shows no warnings of contents, and no names of others than previews', async () => {
    const { json } = await ask('previews', '/_status', 'GET');
    expect(json()).toEqual({ token: { name: 'previews only', rights: ['previews'] }, contents: [] });
  });

  test('never reaches the first content, which requests without a name mean', async () => {
    const { content } = running.contents.first;
    const { version } = content!;
    expect(messageOf(await ask('previews', '/_changes', 'POST', { changes }))).toEqual(
      refusal('"main" is not a preview'),
    );
    expect(messageOf(await ask('previews', `/_entries/${thing}/one`, 'GET'))).toEqual(
      refusal('"main" is not a preview'),
    );
    expect(content!.version).toBe(version);
  });

  test('replaces no other content, and puts none of its own', async () => {
    await restore();
    expect(messageOf(await put('other', { base: 'main' }))).toEqual(refusal('"other" is not a preview'));
    expect(messageOf(await put('new', { snapshot: 'one.json' }))).toEqual(
      refusal('the body is a content of its own, without "base"'),
    );
    const sent = await askServer(running.adminPort, '/_contents/new', {
      method: 'PUT',
      headers: { Authorization: 'Bearer previews', 'Content-Type': 'application/gzip' },
      body: 'bytes',
    });
    expect(messageOf(sent)).toEqual(refusal('the body is a content of its own, without "base"'));
    expect((await running.list()).map(({ name }) => name).sort()).toEqual(['main', 'other', 'pr']);
    expect(await running.title('/other')).toBe('one');
  });

  test('sets no hosts, as no right does, and no tokens', async () => {
    for (const token of ['previews', 'contents']) {
      const { status, json } = await ask(token, '/_contents/new', 'PUT', { base: 'main', hosts: ['shop.example.org'] });
      expect([status, json().error.message]).toEqual([400, expect.stringContaining('hosts')]);
    }
    const further = [{ name: 'a', sha256: sha256('a'), type: 'full-access' }];
    expect(messageOf(await put('new', { base: 'main', tokens: further }))).toEqual(
      refusal('"tokens" lets further tokens read'),
    );
  });

  const user = 'plugin::users-permissions.user';
  const role = 'plugin::users-permissions.role';
  const permission = 'plugin::users-permissions.permission';
  test.each([
    [{ upsert: user, entry: { documentId: 'eve', username: 'eve', role: 'admin' } }, user],
    [{ patch: user, documentId: 'eve', set: { blocked: false } }, user],
    [{ delete: user, documentId: 'eve' }, user],
    [{ upsert: role, entry: { type: 'public', permissions: [`${thing}.find`] } }, role],
    [{ patch: role, documentId: 'public', set: { permissions: [] } }, role],
    [{ upsert: permission, entry: { action: `${thing}.find` } }, permission],
    // the first key decides nothing
    [{ delete: thing, documentId: 'one', upsert: role }, role],
    [{ upsert: 1, patch: role }, role],
  ])('does not change users, roles and permissions: %j', async (change, type) => {
    await restore();
    const refused = refusal(`changes[1] changes a user, role or permission ("${type}")`);
    const list = [...changes, change];
    expect(messageOf(await put('pr', { base: 'main', changes: list }))).toEqual(refused);
    expect(messageOf(await put('new', { base: 'main', changes: list }))).toEqual(refused);
    const { revision } = running.contents.get('pr')!.preview!.changes;
    expect(messageOf(await ask('previews', '/_changes?content=pr', 'POST', { changes: list }))).toEqual(refused);
    expect(running.contents.get('pr')!.preview!.changes.revision).toBe(revision);
  });

  test('together with "changes", changes them by POST /_changes, and still puts none', async () => {
    const list = [{ upsert: role, entry: { type: 'editor', permissions: [] } }];
    const both = [...tokens, { name: 'both', sha256: sha256('both'), rights: ['previews', 'changes'] }];
    const { adminPort, put: putAll } = await startContents({ settings: { admin: { tokens: both } } });
    expect((await putAll('pr', { body: { base: 'main' } })).status).toBe(201);
    const headers = { Authorization: 'Bearer both', 'Content-Type': 'application/json' };
    const send = (path: string, method: string, body: object) =>
      askServer(adminPort, path, { method, headers, body: JSON.stringify(body) });
    expect((await send('/_changes?content=pr', 'POST', { changes: list })).status).toBe(200);
    expect((await send('/_contents/pr', 'PUT', { base: 'main', changes: list })).status).toBe(403);
    expect((await send('/_contents/pr', 'PUT', { base: 'main' })).status).toBe(200);
  });
});

test('a route can need several rights, and previews in the place of the first', async () => {
  const names: AdminRight[][] = [
    ['previews'],
    ['changes'],
    ['previews', 'changes'],
    ['contents'],
    ['contents', 'changes'],
  ];
  const given = names.map((rights) => ({ name: rights.join('+'), sha256: sha256(rights.join('+')), rights }));
  const route = {
    method: 'post',
    path: '/apply',
    right: ['contents', 'changes'],
    takesPreviews: true,
    handle: (_request: unknown, response: { json(body: object): void }) => response.json({}),
  } as never;
  const router = createAdminRouter([route], new AdminTokens(given), new Set());
  const port = await listen(
    appOf(
      [router],
      () => new NotFoundError(),
      () => {},
    ) as never,
  );
  const statuses = given.map(async ({ name }) => {
    const headers = { Authorization: `Bearer ${name}` };
    return (await askServer(port, '/apply', { method: 'POST', headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual([403, 403, 200, 403, 200]);
});
