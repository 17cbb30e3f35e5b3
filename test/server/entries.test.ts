import { describe, expect, test } from 'vitest';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { article, author, definitions, entries } from '../changes/content.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';
import { startEmpty, stopServersAfterEach } from '../support/server.ts';

/** `GET /_entries/TYPE/DOCUMENTID` of the admin port, and what `POST /_changes` makes of it. */

stopServersAfterEach();

const admin = {
  tokens: [
    { name: 'editor', sha256: sha256('editor'), rights: ['changes'] },
    { name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] },
  ],
};
const snapshot = { ...definitions, entries } as unknown as JsonSnapshot;

async function start(disk: SimulatedDisk = newDisk()) {
  const running = await startEmpty({ adminPort: 0, admin });
  const { content, opened } = await openJournaled(disk, snapshot);
  const contents = new Contents(createEntry({ name: 'main', content, error: null, put: null }));
  running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, opened) });
  const { adminPort } = running;
  const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer editor' };
  return {
    content,
    read: (path: string, token = 'editor') =>
      askServer(adminPort, `/_entries/${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    send: (changes: object[], more: object = {}, key?: string) =>
      askServer(adminPort, '/_changes', {
        method: 'POST',
        headers: { ...headers, ...(key && { 'Idempotency-Key': key }) },
        body: JSON.stringify({ changes, ...more }),
      }),
  };
}

const one = `${article}/one`;

describe('GET /_entries', () => {
  test('answers with all entries of a document and the version, and an upsert takes them', async () => {
    const { read, send, content } = await start();
    const { status, headers, json } = await read(one);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(json().version).toBe(content.version);
    const read1 = json().entries as Record<string, unknown>[];
    expect(read1.map(({ id, locale, status }) => [id, locale, status])).toEqual([
      [10, 'en', 'published'],
      [11, 'en', 'draft'],
      [12, 'fr', 'published'],
    ]);
    expect(read1[0]).toEqual({
      id: 10,
      documentId: 'one',
      status: 'published',
      locale: 'en',
      title: 'One',
      rating: 4,
      author: 'ada',
      related: ['two'],
      badge: 'gold',
      subject: null,
      subjects: [],
      cover: 'cover-1',
      seo: { id: 5, metaTitle: 'first', picture: 'cover-1' },
      cards: [
        { id: 21, text: 'a', author: 'ada', seo: { id: 6, metaTitle: 'in card', picture: null } },
        { id: 22, text: 'b', author: null, seo: null },
      ],
      blocks: [
        { __component: 'shared.card', id: 23, text: 'c', author: null, seo: null },
        { __component: 'shared.seo', id: 8, metaTitle: 'last', picture: null },
      ],
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: null,
      publishedAt: '2026-01-01T00:00:00.000Z',
    });
    const { contentDigest } = content.history.loaded.store;
    const upserts = read1.map((entry) => ({ upsert: article, entry }));
    expect((await send(upserts, { previous: json().version })).status).toBe(200);
    expect(content.history.loaded.store.contentDigest).toBe(contentDigest);
  });

  test('chooses entries by locale and status', async () => {
    const { read } = await start();
    const ids = async (query: string) => (await read(one + query)).json().entries.map(({ id }: { id: number }) => id);
    expect(await ids('?locale=en')).toEqual([10, 11]);
    expect(await ids('?status=published')).toEqual([10, 12]);
    expect(await ids('?locale=en&status=draft&content=main')).toEqual([11]);
    expect((await read(`${author}/ada`)).json().entries).toMatchObject([{ id: 3, name: 'Ada' }]);
  });

  const refused: [string, number, string][] = [
    [
      `${one}?locale=fr&status=draft`,
      404,
      'There is no article with documentId "one" (fr, draft). It has en published, en draft, fr published',
    ],
    [`${article}/three`, 404, 'There is no article with documentId "three"'],
    ['api::artcle.artcle/one', 404, '"api::artcle.artcle" is no content type (did you mean "api::article.article"?)'],
    ['shared.seo/one', 404, '"shared.seo" is a component: components are part of their entry'],
    [`${one}?content=other`, 404, 'There is no content "other"'],
    [`${one}?status=new`, 400, 'query: status must be draft or published, is "new"'],
    [`${author}/ada?locale=en`, 400, 'query: locale needs a localized type, not api::author.author'],
    [`${one}?lang=en`, 400, 'query: "lang" is unknown or given twice; only content, locale, status are read'],
  ];
  test.each(refused)('of %s is a %i', async (path, status, message) => {
    const { read } = await start();
    const answer = await read(path);
    expect([answer.status, answer.json().error.message]).toEqual([status, message]);
  });

  test('needs the right "changes"', async () => {
    const { read } = await start();
    expect((await read(one, 'deploy')).status).toBe(403);
    expect((await read(one, 'nobody')).status).toBe(401);
  });
});

describe('a patch', () => {
  const change = {
    patch: article,
    documentId: 'one',
    set: { title: 'New' },
    add: { cards: [{ component: { text: 'c' } }] },
  };

  test('is kept in the journal with its time, and its key is answered again', async () => {
    const disk = newDisk();
    const { read, send, content } = await start(disk);
    const sent = [change, { upsert: article, entry: { documentId: 'new', title: 'Without a date' } }];
    const answer = (await send(sent, {}, 'k1')).json();
    const before = [(await read(one)).json(), (await read(`${article}/new`)).json()];
    expect(before[0].entries[0]).toMatchObject({
      title: 'New',
      rating: 4,
      author: 'ada',
      updatedAt: expect.any(String),
    });
    expect(before[1].entries[0].publishedAt).toMatch(/^20/);
    disk.stoppedBy = 'killed';
    disk.restart();
    const after = await start(disk);
    expect([(await after.read(one)).json(), (await after.read(`${article}/new`)).json()]).toEqual(before);
    expect(after.content.history.loaded.store.contentDigest).toBe(content.history.loaded.store.contentDigest);
    expect((await after.send(sent, {}, 'k1')).json()).toEqual(answer);
    expect((await after.read(one)).json()).toEqual(before[0]);
  });

  test('whose condition is not met is a 409 that says why, and nothing is applied', async () => {
    const { read, send, content } = await start();
    const { version } = content;
    const second = { ...change, if: { updatedAt: '2026-02-01T10:00:00.000Z' } };
    const { status, json } = await send([{ delete: author, documentId: 'nobody', ifExists: true }, second]);
    expect(status).toBe(409);
    expect(json().error).toMatchObject({
      name: 'ConflictError',
      message:
        'changes[1]: "if" expects an entry with the updatedAt 2026-02-01T10:00:00.000Z, but found an entry with the updatedAt null. Nothing is applied',
      details: { change: 1, condition: 'if', expected: { updatedAt: second.if.updatedAt }, found: { updatedAt: null } },
    });
    expect(content.version).toBe(version);
    const { updatedAt } = (await read(one)).json().entries[0];
    expect((await send([{ ...change, if: { updatedAt } }])).status).toBe(200);
    // whoever read before the last change is told so
    expect((await send([{ ...change, if: { updatedAt } }])).status).toBe(409);
  });

  test('with a mistake is a 422 that says where', async () => {
    const { send } = await start();
    const { status, json } = await send([{ ...change, set: { titel: 'x' } }]);
    expect([status, json().error.details.problems]).toEqual([
      422,
      ['changes[0].set: unknown attribute "titel" (did you mean "title"?)'],
    ]);
  });
});
