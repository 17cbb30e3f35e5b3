// Relations to administrators, who are in no snapshot: as a running Strapi without administrators answers.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content, JsonSnapshot } from '../../src/index.ts';
import { open } from '../../src/index.ts';
import { ask, sha256 } from '../support/guide.ts';

const snapshot = {
  contentTypes: [
    {
      info: { singularName: 'page', pluralName: 'pages' },
      attributes: {
        owner: { type: 'relation', relation: 'oneToOne', target: 'admin::user' },
        owners: { type: 'relation', relation: 'manyToMany', target: 'admin::user', inversedBy: 'pages' },
      },
    },
    {
      info: { singularName: 'signed', pluralName: 'signeds' },
      options: { populateCreatorFields: true },
      attributes: {},
    },
  ],
  entries: { page: [{ documentId: 'a', owner: 'someone', owners: ['someone'] }], signed: [{ documentId: 'b' }] },
  roles: [{ type: 'public', permissions: ['api::page.page.find', 'api::signed.signed.find'] }],
} as unknown as JsonSnapshot;

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    const tokens = [{ name: 'full', sha256: sha256('full'), type: 'full-access' as const }];
    content = await open(snapshot, { dialect, tokens });
  });
  const first = async (path: string, query: string, token?: string) => {
    const { status, body } = await ask(content, path, query, { token });
    expect(status, JSON.stringify(body)).toBe(200);
    return (body.data as Record<string, unknown>[])[0];
  };
  const messageOf = async (path: string, query: string, token?: string) =>
    (await ask(content, path, query, { token })).body.error?.message;

  const why = dialect === 'document' ? ': there is no such attribute' : '';

  test('relations to administrators are hidden from callers without the permission', async () => {
    for (const query of ['populate=owner', 'populate[owner][fields]=firstname', 'populate=*']) {
      expect(await first('/api/pages', query)).not.toHaveProperty('owner');
    }
    for (const query of ['filters[owner][firstname]=x', 'sort=owner.firstname']) {
      expect(await messageOf('/api/pages', query)).toBe(`Invalid key owner${why}`);
    }
  });

  test('relations to administrators are empty for callers with the permission', async () => {
    expect(await first('/api/pages', 'populate=*', 'full')).toMatchObject({ owner: null, owners: [] });
    expect(await first('/api/pages', 'populate[owners][count]=true', 'full')).toMatchObject({ owners: { count: 0 } });
    expect(await first('/api/pages', 'filters[owner][firstname][$null]=true', 'full')).toMatchObject({
      documentId: 'a',
    });
  });

  test('creators are private unless their type exposes them', async () => {
    expect(await messageOf('/api/pages', 'populate=createdBy')).toBe(`Invalid key createdBy${why}`);
    // the dialect strapi reports errors in options first
    const firstMistake = dialect === 'strapi' ? 'Invalid key email' : `Invalid key createdBy${why}`;
    expect(await messageOf('/api/pages', 'populate[createdBy][fields]=email')).toBe(firstMistake);
    expect(await messageOf('/api/pages', 'populate[createdBy][fields]=firstname')).toBe(`Invalid key createdBy${why}`);
    expect(await messageOf('/api/pages', 'populate[createdBy]=*')).toBe(`Invalid key createdBy${why}`);
    for (const query of ['populate=*', 'populate=createdBy,updatedBy']) {
      expect(await first('/api/signeds', query)).toMatchObject({ createdBy: null, updatedBy: null });
    }
    const query = 'filters[createdBy][id][$null]=true&sort=createdBy.firstname&populate[createdBy][fields]=firstname';
    expect(await first('/api/signeds', query)).toMatchObject({ documentId: 'b', createdBy: null });
  });

  test('mistakes in queries on administrators name the location', async () => {
    // the dialect document ignores options of types that the caller may not read
    const message = (query: string) => messageOf('/api/pages', query, dialect === 'document' ? 'full' : undefined);
    expect(await message('populate[owner][fields]=nope')).toMatch(
      dialect === 'strapi' ? /^Invalid key nope$/ : /^Invalid key nope at owner.nope in populate\[owner\]\[fields\]: ./,
    );
    expect(await message('populate=owner.nope')).toMatch(/^Invalid key nope at owner.nope/);
    expect(await message('populate[owner][populate]=roles')).toMatch(/^Invalid key roles at owner.roles/);
  });
});

test('entries of administrators are neither loaded nor served', async () => {
  const entries = { ...snapshot.entries, administrator: [{ documentId: 'x' }] };
  await expect(open({ ...snapshot, entries })).rejects.toThrow('administrator');
  const content = await open(snapshot);
  expect(content.summary.types.map(({ uid }) => uid)).not.toContain('admin::user');
  expect((await ask(content, '/api/administrators')).status).toBe(404);
});
