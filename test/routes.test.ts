import { expect, test } from 'vitest';
import { Problems } from '../src/problems.ts';
import { Routes } from '../src/routes.ts';
import { readSchema } from '../src/schema/read.ts';

/** Names that routes of their own begin with: a Strapi project may call a content type so. */
const names = ['upload', 'i18n', 'users-permissions'];

test.each(names)('a content type that is served as %s is found beside the routes below that name', (name) => {
  const uid = `api::${name}.${name}`;
  const definition = {
    uid,
    place: name,
    component: false,
    info: { singularName: name, pluralName: name },
    attributes: {},
  };
  const file = { uid: 'plugin::upload.file', place: 'file', component: false, attributes: {} };
  const routes = new Routes(readSchema([definition, file], new Problems()), { usersInEnvelope: true });
  expect(routes.find(name)).toMatchObject({ uid, read: 'list' });
  expect(routes.find(`${name}/abc`)).toMatchObject({ uid, read: 'document', identifier: 'abc' });
  expect(routes.find(`${name}/abc/more`)).toBeNull();
  expect(routes.pathOf(uid)).toBe(name);
  expect(routes.find('upload/files')).toMatchObject({ uid: 'plugin::upload.file', read: 'list' });
  expect(routes.find('upload/files/1')).toMatchObject({ uid: 'plugin::upload.file', read: 'entry' });
});
