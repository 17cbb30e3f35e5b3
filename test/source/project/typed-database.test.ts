/** A database without the folder of its project gives the content of the project, with components from elsewhere. */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import { TypedDatabase } from '../../../src/follow/project/typed-database.ts';
import type { DatabaseSource } from '../../../src/follow/source-reader.ts';
import { open } from '../../../src/index.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { FittingComponents } from '../../../src/load/project/project-content.ts';
import { ProjectFiles, type ProjectInput } from '../../../src/load/project/project-files.ts';
import { databaseOf, exportOf, recordedProjects, unpackProject } from '../../load/project/recorded-projects.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { sha256 } from '../../support/guide.ts';
import { StrapiDatabase } from './strapi-database.ts';

const readers: ProjectReader[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
  for (const server of servers.splice(0)) server.close();
});

const sourceOf = (types: string, token: string | null = null): DatabaseSource => ({
  kind: 'database',
  types,
  token,
  compareSeconds: 3600,
});

function readerOf(source: DatabaseSource, input: ProjectInput): ProjectReader {
  const reader = new ProjectReader(
    source,
    () => {},
    new FittingComponents(),
    () => {},
    input,
  );
  readers.push(reader);
  return reader;
}

/** Unpacks the database of a project alone. */
function databaseAlone(name: (typeof recordedProjects)[number]): string {
  const file = databaseOf(unpackProject(name));
  for (const part of ['src', 'config', 'package.json', '.env']) {
    rmSync(join(file, '../..', part), { recursive: true, force: true });
  }
  return file;
}

/** Loads a database with components from an export, a folder or an address. */
async function load(file: string, types: string, token: string | null = null): Promise<LoadedSnapshot> {
  const source = sourceOf(types, token);
  const input = new TypedDatabase({ client: 'sqlite', file }, source, { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
  return readerOf(source, input).load({});
}

/** Returns a Strapi's address whose content-type builder a token may read. */
async function startStrapi(snapshot: string): Promise<string> {
  const content = await open(snapshot, { tokens: [{ name: 'one', type: 'full-access', sha256: sha256('token') }] });
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers;
    const reply = await content.answer(request.url!, { authorization });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(recordedProjects)('the database of %s has the components of an export', async (name) => {
  const file = databaseAlone(name);
  const loaded = await load(file, exportOf(name));
  const exported = await loadSnapshot(exportOf(name));
  const ofProject = await loadSnapshot(unpackProject(name));
  expect(loaded.strapiVersion).toBe(exported.strapiVersion);
  expect(loaded.uploadedFiles).toBeNull();
  expect(loaded.secrets).toEqual({ apiTokenSalt: 'salt', jwtSecret: 'secret', jwtManagement: 'legacy-support' });
  expect(loaded.store.contentDigest).toBe(ofProject.store.contentDigest);
});

test('the components of an address are those of its content-type builder', async () => {
  const file = databaseAlone('museum');
  const address = await startStrapi(exportOf('museum'));
  const fromAddress = await load(file, address, 'token');
  const fromExport = await load(file, exportOf('museum'));
  expect(fromAddress.store.contentDigest).toBe(fromExport.store.contentDigest);
  await expect(load(file, address, 'other')).rejects.toThrow(/token/);
});

test('what config/api hides is said to be unknown', async () => {
  const { warnings } = await load(databaseAlone('museum'), exportOf('museum'));
  expect(warnings.map(({ message }) => message).join()).toContain('responses.privateAttributes of config/api');
});

test('the folder of a project names another database than its configuration', async () => {
  const folder = unpackProject('museum');
  const file = databaseOf(folder);
  const other = databaseAlone('museum');
  const database = new StrapiDatabase(other, true);
  database.update('tags', database.select('tags')[0].id, { label: 'elsewhere' });
  await database.close();
  writeFileSync(join(folder, '.env'), 'DATABASE_CLIENT=mysql\nJWT_SECRET=of the folder\n');
  const { store, secrets } = await readerOf(
    sourceOf(folder),
    new ProjectFiles(folder, { client: 'sqlite', file: other }),
  ).load({});
  expect(secrets).toMatchObject({ jwtSecret: 'of the folder' });
  const same = await readerOf(sourceOf(folder), new ProjectFiles(folder, { client: 'sqlite', file })).load({});
  expect(store.contentDigest).not.toBe(same.store.contentDigest);
});

test('changes are followed, and components stay while they cannot be read again', async () => {
  const file = databaseAlone('museum');
  const address = await startStrapi(exportOf('museum'));
  const source = sourceOf(address, 'token');
  const input = new TypedDatabase({ client: 'sqlite', file }, source, {});
  const reader = readerOf(source, input);
  await reader.load({});
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  input.lookAgain();
  const database = new StrapiDatabase(file, true);
  const [{ id }] = database.select('tags');
  database.update('tags', id, { label: 'followed', updated_at: Date.now() });
  await database.close();
  expect(await reader.next()).toMatchObject({ kind: 'batch', batch: { entities: [{ id }] } });
});

test.each([
  ['a missing file', '/missing/export.tar.gz', /\/missing\/export\.tar\.gz/],
  ['a folder of other files', temporaryFolder(), /./],
])('%s has no components', async (_, types, message) => {
  await expect(load(databaseAlone('museum'), types)).rejects.toThrow(message);
});
