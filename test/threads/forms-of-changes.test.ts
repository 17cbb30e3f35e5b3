// Each form of changes has the same effect through each way in: the library, the admin port of one and of two threads, and a preview.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { type Batch, type Change, open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { connectionsByThread, endProcessesAfterEach, startProcess } from '../support/threads.ts';

endProcessesAfterEach();

const thing = 'api::thing.thing';
const attributes = {
  title: { type: 'string' },
  friends: { type: 'relation', relation: 'manyToMany', target: thing, inversedBy: 'fans' },
  fans: { type: 'relation', relation: 'manyToMany', target: thing, mappedBy: 'friends' },
  part: { type: 'component', component: 'a.part' },
};
const snapshot = thingSnapshot(
  attributes,
  ['one', 'two', 'three'].map((documentId, i) => ({ id: i + 1, documentId, title: documentId })),
  { components: { 'a.part': { attributes: { label: { type: 'string' } } } } },
);

/** What a request sends, or a caller of the library gives. */
type Given = { changes: Change[] } | { batch: Batch } | { lines: Change[] };

const upsert = (documentId: string, entry: object) => ({ upsert: thing, entry: { documentId, ...entry } });
const target = { type: thing, id: 2, position: 1, inversePosition: 1 };

/** Forms that follow each other, and all titles after each, with friends and parts. */
const forms: [name: string, given: Given, shown: string][] = [
  ['an upsert', { changes: [upsert('one', { title: 'ONE', part: { label: 'x' } })] }, 'ONE (x), three, two'],
  ['a new entry that refers to others', { changes: [upsert('new', { friends: ['two', 'one'] })] }, 'null -> two ONE'],
  ['several changes of one entry', { changes: ['a', 'b'].map((title) => upsert('new', { title })) }, 'b, three'],
  ['a deletion', { changes: [{ delete: thing, documentId: 'new' }] }, 'ONE (x), three, two'],
  [
    'rows of a batch',
    { batch: { entities: [{ type: thing, id: 3, data: { documentId: 'three', title: 'III' } }], links: [] } },
    'III, ONE (x), two',
  ],
  [
    'links of a batch',
    { batch: { entities: [], links: [{ type: thing, id: 1, attribute: 'friends', targets: [target] }] } },
    'III, ONE (x) -> two, two',
  ],
  ['a deletion in a batch', { batch: { entities: [{ type: thing, id: 2, data: null }], links: [] } }, 'III, ONE (x)'],
  ['nothing', { changes: [] }, 'III, ONE (x)'],
  ['lines of an import', { lines: ['a', 'line'].map((title) => upsert('new', { title })) }, 'ONE (x), line'],
];
const wrong: [Given, string][] = [
  [{ changes: [upsert('one', { title: 1 })] }, 'changes[0].entry, attribute title'],
  [{ batch: { entities: [{ type: 'api::x.x', id: 1, data: {} }], links: [] } }, 'entities[0], api::x.x 1'],
];

type Reply = { readonly version: string; readonly body: string };

/** A way in. `send` returns the version after the changes, or the message of an error. */
interface Transport {
  send(given: Given): Promise<string>;
  /** The reply of each thread. */
  replies(): Promise<Reply[]>;
}

const query = 'things?sort=title&populate=friends&populate=part';

async function library(): Promise<Transport> {
  const content = await open(snapshot, { public: true });
  return {
    send: async (given) => {
      try {
        if ('lines' in given) content.apply({ changes: given.lines });
        else content.apply('batch' in given ? given.batch : given);
        return content.version;
      } catch (error) {
        return (error as Error).message;
      }
    },
    replies: async () => {
      const { headers, body } = await content.answer(`/api/${query}`);
      return [{ version: headers['X-Lectern-Version'] as string, body: String(body) }];
    },
  };
}

/** A server with some threads. With a preview, changes are sent to it and it is asked. */
async function served(threads: number, preview: boolean): Promise<Transport> {
  const folder = join(temporaryFolder(), 'contents');
  mkdirSync(folder);
  const path = join(folder, 'main.json');
  writeFileSync(path, JSON.stringify(snapshot));
  const rights = ['contents', 'changes'];
  const server = await startProcess(`main=${path}`, ['--threads', String(threads), '--admin-port', '0'], {
    log: { format: 'json', requests: true },
    public: true,
    admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights }] },
    contents: { folder },
  });
  const ask = (method: string, path: string, body: string, type = 'application/json') => {
    const headers = { Authorization: 'Bearer admin', 'Content-Type': type };
    return askServer(server.adminPort!, path, { method, headers, body });
  };
  if (preview) expect((await ask('PUT', '/_contents/pr', '{"base":"main"}')).status).toBe(201);
  const asks = [...(await connectionsByThread(server, threads)).values()];
  const name = preview ? 'pr' : 'main';
  return {
    send: async (given) => {
      const path = `/_changes?content=${name}`;
      if ('lines' in given) {
        const lines = given.lines.map((line) => JSON.stringify(line)).join('\n');
        return (await ask('POST', path, lines, 'application/x-ndjson')).json().batches[0].version;
      }
      const { json } = await ask('POST', path, JSON.stringify(given));
      return json().version ?? json().error.message;
    },
    replies: () =>
      Promise.all(
        asks.map(async (each) => {
          const { headers, body } = await each(`${preview ? '/pr' : ''}/api/${query}`);
          return { version: headers['x-lectern-version'] as string, body: body.toString() };
        }),
      ),
  };
}

/** The titles of a reply, each with its part and its friends. */
function titlesOf(body: string): string {
  const entries = JSON.parse(body).data as { title: string; friends: { title: string }[]; part: { label: string } }[];
  return entries
    .map(({ title, friends, part }) => {
      const related = friends.length > 0 ? ` -> ${friends.map((friend) => friend.title).join(' ')}` : '';
      return `${title}${part ? ` (${part.label})` : ''}${related}`;
    })
    .join(', ');
}

const transports: [name: string, begin: () => Promise<Transport>, takesBatches: boolean][] = [
  ['the library', library, true],
  ['one thread', () => served(1, false), true],
  ['a preview in one thread', () => served(1, true), false],
  ...(canShareMemory
    ? ([
        ['two threads', () => served(2, false), true],
        ['a preview in two threads', () => served(2, true), false],
      ] as [string, () => Promise<Transport>, boolean][])
    : []),
];

describe.each(transports)('%s', (_, begin, takesBatches) => {
  const isTaken = (given: Given) => takesBatches || !('batch' in given);

  test('shows each form of changes when it is answered, in every thread', async () => {
    const transport = await begin();
    for (const [name, given, shown] of forms) {
      if (!isTaken(given)) continue;
      const version = await transport.send(given);
      for (const reply of await transport.replies()) {
        expect([name, reply.version]).toEqual([name, version]);
        if (name !== 'nothing' || takesBatches)
          expect([name, titlesOf(reply.body)]).toEqual([name, expect.stringContaining(shown)]);
      }
    }
    const before = await transport.replies();
    for (const [given, message] of wrong.filter(([given]) => isTaken(given))) {
      expect(await transport.send(given)).toContain(message);
    }
    expect(await transport.replies()).toEqual(before);
  });
});
