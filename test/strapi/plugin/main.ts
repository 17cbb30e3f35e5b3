/**
 * Checks what `strapi-plugin-lectern` posts from a real Strapi on SQLite:
 *
 *     npm run test:plugin -- [--folder DIR] [--strapi DIR]
 *
 * `--folder` and `--strapi` are those of `npm run test:follow`. For each kind of write it compares the documents that
 * posts name with those that were written. Then it checks what the route hands over, Lectern is away for some writes, and
 * Strapi restarts.
 */

import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { freePort } from '../../support/cli.ts';
import { authorizations } from '../access.ts';
import { StrapiClient } from '../follow/clients.ts';
import { filledEntries } from '../follow/multiply.ts';
import { prepareProject } from '../follow/project.ts';
import { startStrapi } from '../follow/servers.ts';
import { pluginSource } from '../follow/sources.ts';
import { type Changes, Receiver } from './receiver.ts';
import { checkRoute } from './route.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-follow') },
    strapi: { type: 'string' },
  },
});
const folder = resolve(values.folder);
const strapiFolder = values.strapi ? resolve(values.strapi) : null;
await prepareProject({ folder, strapi: strapiFolder, entries: filledEntries, refill: false, database: 'sqlite' });
const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const hookPort = await freePort();
const environment = pluginSource(address, 300, 'sqlite', folder).webhooks(hookPort);
const receiver = new Receiver(environment.LECTERN_SECRET);
await receiver.listen(hookPort);
let strapi = await startStrapi(folder, port, environment);
const client = new StrapiClient(address, (await authorizations()).full!);

let checks = 0;
let failures = 0;
function check(name: string, found: unknown, expected: unknown): void {
  const isRight = isDeepStrictEqual(found, expected);
  checks++;
  if (!isRight) failures++;
  console.log(
    `${isRight ? 'right' : 'WRONG'}: ${name}${isRight ? '' : `\n  posted   ${JSON.stringify(found)}\n  expected ${JSON.stringify(expected)}`}`,
  );
}

/** Writes, and compares what posts name with what `expected` makes of the result. */
async function write<Result>(name: string, make: () => Promise<Result>, expected: (result: Result) => Changes) {
  const result = await make();
  check(name, await receiver.changes(), expected(result));
  return result;
}

interface Written {
  readonly id: number;
  readonly documentId: string;
}

const tag = 'api::tag.tag';
const lender = 'api::lender.lender';
const user = 'plugin::users-permissions.user';
const permission = 'plugin::users-permissions.permission';
const locale = 'plugin::i18n.locale';
const file = 'plugin::upload.file';
const apiToken = 'admin::api-token';
const act = (uid: string, action: string, parameters: object, database = false) =>
  client.act(uid, action, parameters, database) as Promise<Written>;
const send = async (method: string, path: string, body?: unknown) =>
  ((await client.send(method, path, body)) as { data: Written }).data;

check('the first post names nothing', await receiver.changes(), {});
check('the first post has the number 0', receiver.posts[0]?.sequence, 0);
// Strapi notes when a token is used
await client.send('GET', '/api/tags?pagination[pageSize]=1');
await receiver.changes();

// the REST API
const label = { data: { label: 'one' } };
const made = await write(
  'POST of an entry',
  () => send('POST', '/api/tags', label),
  ({ documentId }) => ({ [tag]: [documentId] }),
);
const ofMade = () => ({ [tag]: [made.documentId] });
await write('PUT', () => send('PUT', `/api/tags/${made.documentId}`, { data: { label: 'two' } }), ofMade);
await write(
  'PUT that is answered with few fields',
  () => send('PUT', `/api/tags/${made.documentId}?fields[0]=label`, label),
  ofMade,
);
await write('DELETE', () => client.send('DELETE', `/api/tags/${made.documentId}`), ofMade);

// the document service
const draft = await write(
  'create',
  () => act(lender, 'create', { data: { name: 'L' } }),
  ({ documentId }) => ({ [lender]: [documentId] }),
);
const { documentId } = draft;
for (const action of ['publish', 'unpublish', 'discardDraft', 'delete']) {
  const parameters = { documentId };
  if (action === 'discardDraft') await act(lender, 'publish', parameters).then(() => receiver.changes());
  await write(
    action,
    () => act(lender, action, parameters),
    () => ({ [lender]: [documentId] }),
  );
}

// rows of the database
const row = await write(
  'create of a row',
  () => act(tag, 'create', { data: { label: 'row', documentId: 'rowrowrowrowrowrowrowrow' } }, true),
  (one) => ({ [tag]: [one.documentId] }),
);
await write(
  'update of a row',
  () => act(tag, 'update', { where: { id: row.id }, data: { label: 'r' } }, true),
  () => ({ [tag]: [row.documentId] }),
);
await write(
  'update of a row whose id alone is selected',
  () => act(tag, 'update', { where: { id: row.id }, data: { label: 's' }, select: ['id'] }, true),
  () => ({ [tag]: null }),
);
await write(
  'updateMany',
  () => act(tag, 'updateMany', { where: { id: row.id }, data: { label: 't' } }, true),
  () => ({ [tag]: null }),
);
await write(
  'deleteMany',
  () => act(tag, 'deleteMany', { where: { id: row.id } }, true),
  () => ({ [tag]: null }),
);
const undone = { uid: tag, action: 'create', parameters: label, isUndone: true };
await write(
  'a transaction that is rolled back',
  () => client.send('POST', '/api/editor', undone),
  () => ({}),
);
await write(
  'a read',
  () => client.send('GET', '/api/tags?pagination[pageSize]=1'),
  () => ({}),
);

// what plugins hold
const person = { username: 'posted', email: 'posted@example.com', password: 'Museum-1234', role: 1, confirmed: true };
const { id } = await write(
  'a user',
  () => client.send('POST', '/api/users', person) as Promise<Written>,
  (one) => ({ [user]: [one.documentId] }),
);
const deleted = (await client.send('GET', `/api/users/${id}`)) as Written;
await write(
  'a user who is deleted',
  () => client.send('DELETE', `/api/users/${id}`),
  () => ({ [user]: [deleted.documentId] }),
);
const action = { data: { action: 'api::tag.tag.posted', role: 1 } };
const allowed = await write(
  'a permission',
  () => act(permission, 'create', action, true),
  (one) => ({ [permission]: [one.documentId] }),
);
await write(
  'a permission that is deleted',
  () => act(permission, 'delete', { where: { id: allowed.id } }, true),
  () => ({ [permission]: [allowed.documentId] }),
);
await write(
  'a locale',
  () => act(locale, 'create', { data: { code: 'eo', name: 'Esperanto' } }, true),
  (one) => ({ [locale]: [one.documentId] }),
);
const form = new FormData();
form.append('files', new Blob(['posted']), 'posted.txt');
const [uploaded] = await write(
  'an upload',
  () => client.send('POST', '/api/upload', form) as Promise<Written[]>,
  ([one]) => ({ [file]: [one.documentId] }),
);
await write(
  'a file that is deleted',
  () => client.send('DELETE', `/api/upload/files/${uploaded.id}`),
  () => ({ [file]: [uploaded.documentId] }),
);
await write(
  'an API token',
  () => act(apiToken, 'create', { data: { name: 'p', type: 'read-only', accessKey: 'k' } }, true),
  (one) => ({ [apiToken]: [one.documentId] }),
);

await checkRoute({ address, secret: environment.LECTERN_SECRET, check, position: () => receiver.posts.at(-1)! });

// Lectern is away
receiver.status = 503;
const before = receiver.bodies.length;
const one = await send('POST', '/api/tags', label);
while (receiver.bodies.length === before) await sleep(10);
const two = await send('POST', '/api/tags', label);
const three = await send('POST', '/api/tags', label);
await sleep(1500);
receiver.status = 204;
await receiver.changes();
await sleep(5000);
await receiver.changes();
const distinct = [...new Set(receiver.bodies.slice(before - 1))].map((body) => JSON.parse(body).changes[tag] ?? []);
check('posts are sent again, and then what has waited', distinct.slice(-2), [
  [one.documentId],
  [two.documentId, three.documentId],
]);
check('posts were sent again', receiver.bodies.length > before + 2, true);
const sequences = [...new Set(receiver.posts.map(({ sequence }) => sequence))];
check(
  'no number is missing',
  sequences,
  Array.from(sequences, (_, i) => i),
);

// the page of the admin panel
const admin = { email: 'admin@example.com', password: 'Museum-1234', firstname: 'Ada', lastname: 'L' };
const session = (await client.send('POST', '/admin/register-admin', admin)) as { data: { token: string } };
const status = (authorization: string) => fetch(`${address}/lectern/status`, { headers: { authorization } });
check('the status is for the admin panel alone', (await status('')).status, 401);
const { takenAt, ...shown } = (await (await status(`Bearer ${session.data.token}`)).json()) as {
  takenAt: number;
  posts: number;
};
check('the status says when a post was taken', Math.abs(Date.now() - takenAt) < 30_000, true);
check(
  'the status says what waits, and what Lectern says',
  { ...shown, posts: shown.posts >= sequences.length },
  { isOn: true, problem: null, posts: true, waiting: 0, sources: receiver.sources },
);

// another process
const [{ epoch }] = receiver.posts;
await strapi.stop();
strapi = await startStrapi(folder, port, environment);
await receiver.changes();
const last = receiver.posts.at(-1)!;
check('a restart begins another epoch', [last.epoch === epoch, last.sequence], [false, 0]);

check('every post is signed, and has no more than places', receiver.mistakes, []);
check(
  'no post has a password',
  receiver.bodies.some((body) => body.includes('Museum')),
  false,
);
await strapi.stop();
console.log(`${checks} checks, ${failures} wrong`);
process.exit(failures === 0 ? 0 : 1);
