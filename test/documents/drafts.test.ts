/** docs/security.md says who reads drafts, and how to close that. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type OpenOptions, open } from '../../src/index.ts';
import { project } from './pages.ts';

const exported = (name: string) => join(project, 'test/conformance', name, 'export.tar.gz');

async function answerOf(name: string, path: string, options: OpenOptions = {}) {
  const content = await open(exported(name), options);
  const { status, body } = await content.answer(path);
  return { status, data: JSON.parse(String(body)).data as unknown };
}

describe('drafts of an export', () => {
  const published = '/api/restaurants?fields=name&sort=id&pagination[pageSize]=100';
  const drafts = `${published}&status=draft`;

  test('are public in the dialect strapi', async () => {
    const answer = await answerOf('gazette', drafts);
    expect(answer.status).toBe(200);
    expect(answer.data).not.toEqual((await answerOf('gazette', published)).data);
  });

  test('take a permission in the dialect document', async () => {
    expect((await answerOf('gazette', drafts, { dialect: 'document' })).status).toBe(403);
  });

  test('are not returned if the setting `routes` sets the status', async () => {
    const routes = { 'api::restaurant.restaurant': { find: { set: { status: 'published' } } } };
    expect(await answerOf('gazette', drafts, { routes })).toEqual(await answerOf('gazette', published));
  });
});

describe('drafts of an export of Strapi 4', () => {
  const published = '/api/articles?sort=id&pagination[pageSize]=100';
  const drafts = `${published}&publicationState=preview`;

  test('are public, unless the setting `routes` sets the publication state', async () => {
    const found = await answerOf('almanac', published);
    const preview = await answerOf('almanac', drafts);
    expect([found.status, preview.status]).toEqual([200, 200]);
    expect(preview.data).not.toEqual(found.data);
    const routes = { 'api::article.article': { find: { set: { publicationState: 'live' } } } };
    expect(await answerOf('almanac', drafts, { routes })).toEqual(found);
  });
});
