// `lectern serve file:///FOLDER --name site` as a process, beside a publisher.
import { execFile } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { type OpenedPublication, openPublication } from '../../src/publication/open-publication.ts';
import { versionText } from '../../src/store/content-version.ts';
import { commandsOf, pageAt } from '../documents/pages.ts';
import { cli, freePort } from '../support/cli.ts';
import { connect, endStreams } from '../support/event-streams.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, closeServers, type HttpAnswer, listen } from '../support/http.ts';
import { until } from '../support/server.ts';
import { endProcessesAfterEach, type ServingProcess, spawnProcess, startProcess } from '../support/threads.ts';
import { retitled, TestPublisher, things } from './test-publisher.ts';

endProcessesAfterEach();
afterEach(endStreams);
afterEach(closeServers);

const opened: OpenedPublication[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const settings = {
  admin: { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'events', 'pin', 'reload'] }] },
};

/** A folder to publish in. */
async function place() {
  const folder = temporaryFolder();
  const to = `file://${folder}`;
  const publication = await openPublication({ to, name: 'site' }, {}, () => {});
  opened.push(publication);
  return { folder, to, ...publication };
}

/** Publishes the thing "First". */
async function publish() {
  const { publication, ...rest } = await place();
  return { ...rest, publication, publisher: await TestPublisher.begin(publication) };
}

function flagsOf(cache = temporaryFolder()): string[] {
  return ['--name', 'site', '--cache', cache, '--admin-port', '0'];
}

function serve(to: string, flags: string[] = [], cache?: string): Promise<ServingProcess> {
  return startProcess(to, [...flagsOf(cache), ...flags], settings);
}

const ask = ({ port }: ServingProcess) => askServer(port, '/api/things/one');

function titleIn(answer: HttpAnswer): string {
  return answer.json().data.title;
}

/** Resolves when the replica answers from a version. */
async function serves(replica: ServingProcess, version: string): Promise<HttpAnswer> {
  let answer!: HttpAnswer;
  await until(async () => {
    answer = await ask(replica);
    return answer.headers['x-lectern-version'] === version;
  });
  return answer;
}

function admin({ adminPort }: ServingProcess, method: string, path: string, body?: object): Promise<HttpAnswer> {
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  return askServer(adminPort!, path, { method, headers, body: body && JSON.stringify(body) });
}

test.each([['1'], ['2']])(
  'with %s threads, a replica serves each change with the bytes of its publisher',
  async (threads) => {
    const { to, publisher } = await publish();
    await publisher.retitle('Second');
    const replica = await serve(to, ['--threads', threads]);
    const same = async () => {
      const content = new Content({ ...publisher.loaded, version: publisher.head }, readOptions(), performance.now());
      const app = express().use('/api', content.router());
      const { body, headers } = await askServer(await listen(app), '/api/things/one');
      const answer = await serves(replica, versionText(publisher.head));
      expect(String(answer.body)).toBe(String(body));
      expect(answer.headers.etag).toBe(headers.etag);
      expect(headers.etag).toBeDefined();
    };
    await same();
    await publisher.retitle('Third');
    await same();
    for (const title of ['Fourth', 'Fifth', 'Sixth']) await publisher.retitle(title);
    await same();
    // an image of the same epoch, which no change of the log leads to
    publisher.make(retitled('Large'));
    const image = await publisher.putImage();
    await publisher.announce({ ...publisher.state, image });
    await same();
    // another epoch with the same content
    await publisher.begin();
    await same();
    await publisher.retitle('Seventh');
    await same();
  },
);

test.each([['1'], ['2']])('with %s threads, a pin holds replicas, also those that start later', async (threads) => {
  const { to, publisher } = await publish();
  const pinned = publisher.head.image;
  const early = await serve(to, ['--threads', threads]);
  await publisher.retitle('Second');
  await serves(early, versionText(publisher.head));
  await publisher.announce({ pinned });
  expect(titleIn(await serves(early, versionText(pinned)))).toBe('First');
  await publisher.retitle('Third');
  await publisher.publishImage();
  const late = await serve(to, ['--threads', threads]);
  for (const replica of [early, late]) {
    const answer = await ask(replica);
    expect([answer.headers['x-lectern-version'], titleIn(answer)]).toEqual([versionText(pinned), 'First']);
  }
  await publisher.announce({ pinned: null });
  for (const replica of [early, late]) {
    expect(titleIn(await serves(replica, versionText(publisher.head)))).toBe('Third');
  }
});

test('the admin port of a replica refuses what would part it from its publisher', async () => {
  const { to, publisher } = await publish();
  const replica = await serve(to);
  const version = versionText(publisher.head);
  const change = { changes: [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'Own' } }] };
  const refused = await Promise.all([
    admin(replica, 'POST', '/_changes', change),
    admin(replica, 'PUT', '/_pin', { version }),
    admin(replica, 'DELETE', '/_pin'),
    admin(replica, 'POST', '/_reload?changes=discard'),
  ]);
  expect(refused.map(({ status, json }) => [status, json().error.message])).toEqual(
    ['change it', 'pin a version', 'pin a version', 'reload it with changes'].map((what) => [
      409,
      `The content "main" is a replica of ${to} site: ${what} at its publisher`,
    ]),
  );
  expect((await admin(replica, 'POST', '/_reload')).json()).toMatchObject({ isNew: false });
  expect(titleIn(await serves(replica, version))).toBe('First');
});

test('a replica that starts first waits for its publisher, and says so once', async () => {
  const { to, publication } = await place();
  const adminPort = await freePort();
  const flags = ['--name', 'site', '--cache', temporaryFolder(), '--port', '0', '--admin-port', String(adminPort)];
  const replica = spawnProcess(to, flags, { ...settings, follow: { startSeconds: 1 } });
  const waits = ({ msg }: Record<string, string>) => msg.startsWith('the start waits for its source: ');
  expect((await replica.line(waits)).msg).toContain('nothing is published there under this name');
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect((await askServer(adminPort, '/_ready')).status).toBe(503);
  await TestPublisher.begin(publication);
  await until(async () => (await askServer(adminPort, '/_ready')).status === 200);
  expect(replica.lines.filter(waits)).toHaveLength(1);
});

test('a replica starts from its last image while nothing is published, and then goes on', async () => {
  const { to, publisher, folder, publication } = await publish();
  const cache = temporaryFolder();
  const first = await serve(to, [], cache);
  await serves(first, versionText(publisher.head));
  first.child.kill();
  await first.exit;
  await rename(`${folder}/site/head.json`, `${folder}/head.json`);
  const second = await serve(to, [], cache);
  expect(titleIn(await ask(second))).toBe('First');
  expect(second.lines.some(({ msg }) => msg.includes('content from the cache is served'))).toBe(true);
  await rename(`${folder}/head.json`, `${folder}/site/head.json`);
  await publisher.retitle('Second');
  expect(titleIn(await serves(second, versionText(publisher.head)))).toBe('Second');
  expect(await publication.readHead()).toEqual(publisher.head);
});

test('members show the version that a replica serves, and leave with it', async () => {
  const { to, publisher, presence } = await publish();
  const replica = await serve(to, ['--threads', '2']);
  const shows = (version: string) =>
    until(async () => {
      const [member] = await presence.members();
      return member?.role === 'replica' && member.version === version;
    });
  await shows(versionText(publisher.head));
  await publisher.retitle('Second');
  await shows(versionText(publisher.head));
  replica.child.kill();
  await replica.exit;
  expect(await presence.members()).toEqual([]);
});

/** Runs the command of docs/replicas.md that begins so, with another address. */
async function documented(start: string, to: string, ...more: string[]): Promise<string> {
  const command = commandsOf(pageAt('docs/replicas.md')).find((each) => each.startsWith(start))!;
  const [, ...args] = command.split(' ').map((word) => (word.startsWith('redis://') ? to : word));
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args, ...more]);
  return stdout;
}

test('lectern status shows head, image, log, pin and members', async () => {
  const { to, publisher, presence } = await publish();
  const { image } = publisher.head;
  await publisher.retitle('Second');
  await publisher.retitle('Third');
  const started = await serve(to);
  await serves(started, versionText(publisher.head));
  const member = {
    id: 'late',
    role: 'replica',
    name: 'late one',
    version: versionText(image),
    startedAt: 1e12,
  } as const;
  await presence.renew(member, 60);
  await presence.renew({ ...member, id: 'new', name: 'new one', version: null }, 60);
  const shown = JSON.parse(await documented('lectern status', to, '--json'));
  expect(shown).toMatchObject({
    publication: to,
    name: 'site',
    head: { version: versionText(publisher.head), digest: publisher.head.digest },
    image: { version: versionText(image), sha256: image.sha256, bytes: image.bytes },
    changes: 2,
    pinned: null,
    publishers: [],
  });
  const behind = shown.replicas.map(({ name, behind }: Record<string, unknown>) => [name, behind]);
  expect(behind).toHaveLength(3);
  expect(behind).toEqual(
    expect.arrayContaining([
      [expect.stringMatching(/ \d+$/), 0],
      ['late one', 2],
      ['new one', null],
    ]),
  );
  expect(shown.warnings).toEqual([
    'no publisher is alive: nothing new is published',
    `late one, new one: ${versionText(publisher.head)} is not served yet after 5 s`,
  ]);
  await publisher.announce({ pinned: image });
  await serves(started, versionText(image));
  await presence.leave('new');
  await presence.renew({ ...member, id: 'publisher', role: 'publisher', name: 'the publisher' }, 60);
  const text = await documented('lectern status', to);
  expect(text).toContain(`log: 2 changes since the image\npinned: ${versionText(image)}\n`);
  expect(text).toMatch(/^publisher {2}the publisher .* {2}1\d+-0$/m);
  expect(text).not.toMatch(/behind|warning/);
});

test('lectern status of a name without a head fails with a sentence', async () => {
  const { to } = await place();
  const failed = documented('lectern status', to).then(String, ({ code, stderr }) => [code, stderr]);
  expect(await failed).toEqual([1, `lectern: ${to} site: nothing is published there under this name\n`]);
});

test('the documented command serves', async () => {
  const { to } = await publish();
  const command = commandsOf(pageAt('docs/replicas.md')).find((each) => each.startsWith('lectern serve'))!;
  const [, , , ...flags] = command.split(' ');
  expect(titleIn(await ask(await startProcess(to, [...flags, '--cache', temporaryFolder()])))).toBe('First');
});

test('a listener of events goes on at another replica', async () => {
  const { to, publisher } = await publish();
  const [one, other] = [await serve(to), await serve(to)];
  const stream = await connect(one.adminPort!);
  await publisher.retitle('Second');
  await until(() => stream.events().length === 1);
  const [{ id }] = stream.events();
  expect(id).toBe(versionText(publisher.head));
  await publisher.retitle('Third');
  await serves(other, versionText(publisher.head));
  const resumed = await connect(other.adminPort!, { 'Last-Event-ID': id });
  await until(() => resumed.events().length === 1);
  expect(resumed.events()).toMatchObject([{ id: versionText(publisher.head), event: 'stale' }]);
  // a replica that has started later does not know what is missing
  const late = await serve(to);
  const reset = await connect(late.adminPort!, { 'Last-Event-ID': id });
  await until(() => reset.events().length === 1);
  expect(reset.events()).toMatchObject([{ id: versionText(publisher.head), event: 'reset' }]);
});

test.each<[string, (to: string) => [string, string[], object?], RegExp]>([
  ['no name', (to) => [to, []], /^--name: a publication needs the name/],
  ['a wrong name', (to) => [to, ['--name', '../x']], /the name "\.\.\/x" cannot be published/],
  [
    'a password',
    () => ['redis://:secret@127.0.0.1/0', ['--name', 'site'], { images: '.' }],
    /has a user or a password/,
  ],
  ['no images', () => ['redis://127.0.0.1/0', ['--name', 'site']], /^images: a replica needs the place of the images/],
  [
    'a wrong database',
    () => ['redis://127.0.0.1/x', ['--name', 'site'], { images: '.' }],
    /must be the number of a database/,
  ],
  [
    'a webhook',
    (to) => [to, ['--name', 'site'], { webhook: { url: 'http://127.0.0.1:9' } }],
    /webhook: a replica sends none/,
  ],
  [
    'a journal',
    (to) => [to, ['--name', 'site', '--journal', '/tmp/none.journal']],
    /journal: a replica takes no changes/,
  ],
  ['no following', (to) => [to, ['--name', 'site', '--no-follow']], /follow: a replica always follows/],
  ['a name for a snapshot', () => ['content.tar.gz', ['--name', 'site']], /^--name: is only for a publication/],
])('a start with %s is refused with a sentence', async (_, given, message) => {
  const [to, flags, more] = given(`file://${temporaryFolder()}`);
  const { exit, lines } = spawnProcess(to, ['--port', '0', ...flags], more);
  expect(await exit).toEqual([2, null]);
  const { msg } = lines.at(-1)!;
  expect(msg).toMatch(message);
  expect(msg).not.toContain('secret');
});

test('a corrupt image and a corrupt log are never served, and the log says why', async () => {
  const { to, publisher, folder } = await publish();
  const replica = await serve(to);
  const version = versionText(publisher.head);
  await serves(replica, version);
  // two publishers that write without a fence
  const change = { ...publisher.make(retitled('Second')), changes: retitled('Wrong') };
  await publisher.publication.appendIf(publisher.head, { ...publisher.head, ...publisher.state }, [change]);
  const problem = await replica.line(({ msg }) => msg.includes('a change does not fit: the digest is'));
  expect(problem.level).toBe(50);
  expect(titleIn(await serves(replica, version))).toBe('First');
  await writeFile(`${folder}/site/head.json`, 'not JSON');
  await replica.line(({ msg }) => /head\.json: is no JSON/.test(msg));
  const [{ error }] = (await askServer(replica.adminPort!, '/_ready')).json().sources;
  expect(error.message).toMatch(/head\.json: is no JSON/);
  expect(titleIn(await serves(replica, version))).toBe('First');
  await rm(`${folder}/site/head.json`);
  const next = await TestPublisher.begin(publisher.publication, {}, things('Mended'));
  expect(titleIn(await serves(replica, versionText(next.head)))).toBe('Mended');
});
