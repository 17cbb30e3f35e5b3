import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { RouteTable } from '../../src/engine/routes/route-table.ts';
import { open } from '../../src/index.ts';
import { readSchema } from '../../src/model/schema/read-schema.ts';
import { ask, thingSnapshot } from '../support/guide.ts';

/** Names at the start of built-in routes, which a Strapi project may also use for a content type. */
const names = ['upload', 'i18n', 'users-permissions'];

test.each(names)('a content type served as %s is found beside the routes below that name', (name) => {
  const uid = `api::${name}.${name}`;
  const definition = {
    uid,
    location: name,
    component: false,
    info: { singularName: name, pluralName: name },
    attributes: {},
  };
  const file = { uid: 'plugin::upload.file', location: 'file', component: false, attributes: {} };
  const routes = new RouteTable(readSchema([definition, file], new Problems()), {
    usersInEnvelope: true,
    findsById: false,
    listsEveryLocale: () => false,
  });
  expect(routes.find(name)).toMatchObject({ uid, kind: 'list' });
  expect(routes.find(`${name}/abc`)).toMatchObject({ uid, kind: 'document', identifier: 'abc' });
  expect(routes.find(`${name}/abc/more`)).toBeNull();
  expect(routes.pathOf(uid)).toBe(name);
  expect(routes.find('upload/files')).toMatchObject({ uid: 'plugin::upload.file', kind: 'list' });
  expect(routes.find('upload/files/1')).toMatchObject({ uid: 'plugin::upload.file', kind: 'entry' });
});

test('an encoded slash is part of a name, not a separator', async () => {
  const content = await open(
    thingSnapshot({}, [{ documentId: 'a' }, { documentId: 'a/b' }, { documentId: 'per%cent' }]),
  );
  const statusOf = async (path: string) => (await ask(content, path)).status;
  expect(await statusOf('/api/things%2Fa')).toBe(404);
  expect(await statusOf('/api%2Fthings/a')).toBe(404);
  expect(await statusOf('/api/th%69ngs/a')).toBe(200);
  // as over HTTP
  expect(await statusOf('/%61pi/things/a')).toBe(404);
  expect(await statusOf('/api/things/%')).toBe(404);
  for (const documentId of ['a/b', 'per%cent']) {
    const { body } = await ask(content, `/api/things/${encodeURIComponent(documentId)}`);
    expect(body.data).toMatchObject({ documentId });
    expect(content.findOne('things', documentId).data).toMatchObject({ documentId });
  }
});
