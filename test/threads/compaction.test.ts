// Thousands of batches and several compactions in `lectern serve`, with two threads where Node can share memory.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { moduleFile, removeModulesAfterAll } from '../extend/module.ts';
import { randomFrom } from '../live/random-from.ts';
import { caseCount } from '../support/cases.ts';
import { connect, endStreams } from '../support/event-streams.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples } from '../support/server.ts';
import {
  type Ask,
  connectionsByThread,
  ending,
  endProcessesAfterEach,
  type ServingProcess,
  startProcess,
} from '../support/threads.ts';

endProcessesAfterEach();
removeModulesAfterAll();
afterEach(endStreams);

const thing = 'api::thing.thing';
const relation = { type: 'relation', target: thing };
const attributes = {
  title: { type: 'string' },
  rating: { type: 'integer' },
  body: { type: 'text' },
  parent: { ...relation, relation: 'manyToOne', inversedBy: 'children' },
  children: { ...relation, relation: 'oneToMany', mappedBy: 'parent' },
};

interface Thing {
  id: number;
  documentId: string;
  title: string;
  rating: number;
  body: string;
  parent: string | null;
}

const settings = {
  log: { format: 'json', requests: true },
  public: true,
  admin: { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'events'] }] },
};

const urls = [
  '/api/things?sort=rating:desc,title&populate=parent&pagination[pageSize]=20',
  '/api/things?filters[rating][$gt]=50&sort=title:desc&pagination[page]=2',
  '/api/things?filters[parent][rating][$lt]=30&populate=children&fields=title&pagination[pageSize]=10',
  '/api/things?filters[title][$contains]=9&fields=title,rating&sort=id:desc',
  '/api/things?filters[children][title][$startsWith]=changed%201&fields=title',
];

/** The content as it has to be, and how it is changed. */
class Things {
  readonly #random = randomFrom(7);
  readonly #live = new Map<string, Thing>();
  #created = 0;

  constructor(count: number) {
    for (let i = 0; i < count; i++) this.#write(`title ${i}`);
  }

  get snapshot(): JsonSnapshot {
    const byId = [...this.#live.values()].sort((a, b) => a.id - b.id);
    return thingSnapshot(attributes, byId);
  }

  get documentIds(): string[] {
    return [...this.#live.keys()];
  }

  /** Changes, adds or deletes a thing. */
  change(number: number): object[] {
    const documentId = this.#random.pick(this.documentIds);
    if (!this.#random.chance(15)) {
      return [this.#upsert(this.#write(`changed ${number}`, this.#random.chance(20) ? undefined : documentId))];
    }
    this.#live.delete(documentId);
    for (const entry of this.#live.values()) if (entry.parent === documentId) entry.parent = null;
    return [{ delete: thing, documentId }];
  }

  /** Changes of so many bytes, 9 MB, that a compaction begins. */
  changeMuch(number: number): object[] {
    const body = `${number} `.padStart(10).repeat(75_000);
    return this.documentIds
      .slice(0, 12)
      .map((documentId) => this.#upsert(this.#write(`much ${number}`, documentId, body)));
  }

  #upsert(entry: Thing): object {
    return { upsert: thing, entry };
  }

  #write(title: string, documentId = `d${this.#created + 1}`, body = ''): Thing {
    const known = this.#live.get(documentId);
    const id = known?.id ?? ++this.#created;
    const parent = this.#live.size > 0 && this.#random.chance(60) ? this.#random.pick(this.documentIds) : null;
    const entry = { id, documentId, title, rating: this.#random.integer(0, 99), body, parent };
    this.#live.set(documentId, entry);
    return entry;
  }
}

/** Starts the server with what a folder has, and a journal in it. */
async function start(folder: string): Promise<ServingProcess> {
  const args = ['--threads', '2', '--admin-port', '0', '--journal', join(folder, 'journal')];
  return startProcess(join(folder, 'things.json'), [...args, '--extend', moduleFile(ending)], settings);
}

function folderOf({ snapshot }: Things): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'things.json'), JSON.stringify(snapshot));
  return folder;
}

/** A connection to each thread. */
async function asksOf(server: ServingProcess): Promise<Ask[]> {
  if (canShareMemory) return [...(await connectionsByThread(server, 2)).values()];
  return [(path, options) => askServer(server.port, path, options)];
}

test('all threads answer as fresh content after many batches and compactions, and after a restart', {
  timeout: 600_000,
}, async () => {
  const count = caseCount(1200, 100);
  const compactions = caseCount(3, 2);
  const things = new Things(200);
  const folder = folderOf(things);
  let server = await start(folder);
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  const change = async (changes: object[], key: string) => {
    const body = JSON.stringify({ changes });
    const send = () =>
      askServer(server.adminPort!, '/_changes', {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': key },
        body,
      });
    const answers = await Promise.all(body.length < 1000 && key.endsWith('0') ? [send(), send()] : [send()]);
    for (const answer of answers) expect([answer.status, answer.json()]).toEqual([200, answers[0].json()]);
    return { send, answer: answers[0].json() as { version: string; sequence: number } };
  };
  const metric = async (name: string) =>
    samples((await askServer(server.adminPort!, '/_metrics')).body.toString()).get(name);
  const finished = () => metric('lectern_compactions_total{result="finished"}');
  const stream = await connect(server.adminPort!);
  const repeated: (() => Promise<void>)[] = [];
  const compare = async (version: string) => {
    const fresh = await open(things.snapshot, { public: true });
    // connections that idle for some seconds are closed
    const asks = await asksOf(server);
    const documentId = things.documentIds.at(-1);
    for (const url of [...urls, `/api/things/${documentId}?populate=*`]) {
      const expected = String((await fresh.answer(url)).body);
      for (const ask of asks) {
        const { headers, body } = await ask(url);
        expect([url, headers['x-lectern-version'], body.toString()]).toEqual([url, version, expected]);
      }
    }
  };
  const versions: string[] = [];
  /** Batches that began a compaction. */
  let large = 0;
  for (let i = 1; i <= count; i++) {
    const isLarge = i % Math.floor(count / compactions) === 10;
    if (isLarge) await expect.poll(finished, { timeout: 60_000 }).toBe(large++);
    const { send, answer } = await change(isLarge ? things.changeMuch(i) : things.change(i), `key ${i}`);
    expect(answer.sequence).toBe(i);
    versions.push(answer.version);
    if (i % 30 === 0) repeated.push(async () => expect((await send()).json()).toEqual(answer));
    if (i % Math.floor(count / 6) === 0) await compare(answer.version);
    if (canShareMemory && i === Math.floor(count / 2)) {
      await askServer(server.port, '/api/end');
      await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
      await compare(answer.version);
    }
  }
  await expect.poll(finished, { timeout: 60_000 }).toBe(large);
  expect(large).toBe(compactions);
  await compare(versions.at(-1)!);
  for (const repeat of repeated) await repeat();
  expect(await metric('lectern_changes_batches_total')).toBe(count);
  expect(await metric('lectern_compaction_failed')).toBe(0);
  await expect.poll(() => stream.events().length).toBe(count);
  expect(stream.events().map(({ id, event }) => [id, event])).toEqual(versions.map((version) => [version, 'stale']));
  const errors = server.lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  expect(errors).toEqual(canShareMemory ? ['a thread ended unexpectedly and is replaced'] : []);

  // each large batch takes more than half of `journalBytes`
  await expect
    .poll(() => readdirSync(folder).filter((name) => name.endsWith('.image')), { timeout: 60_000 })
    .toHaveLength(1);
  server.child.kill('SIGKILL');
  await server.exit;
  server = await start(folder);
  await compare(versions.at(-1)!);
  for (const repeat of repeated) await repeat();
});

test('an event is sent when every thread serves the change', async () => {
  const things = new Things(20);
  const server = await start(folderOf(things));
  const asks = await asksOf(server);
  const stream = await connect(server.adminPort!);
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  const late: object[] = [];
  const checks: Promise<unknown>[] = [];
  let seen = 0;
  stream.response.on('data', () => {
    const events = stream.events();
    for (; seen < events.length; seen++) {
      const sequence = Number(events[seen].id.split('-')[1]);
      for (const ask of asks) {
        const check = ask('/api/things?fields=id').then((answer) => {
          const served = Number((answer.headers['x-lectern-version'] as string).split('-')[1]);
          if (served < sequence) late.push({ sequence, served });
        });
        checks.push(check);
      }
    }
  });
  const all = Array.from({ length: 90 }, (_, i) => {
    const body = JSON.stringify({ changes: things.change(i) });
    return askServer(server.adminPort!, '/_changes', { method: 'POST', headers, body });
  });
  for (const answer of await Promise.all(all)) expect(answer.status).toBe(200);
  await expect.poll(() => seen).toBe(90);
  await Promise.all(checks);
  expect(late).toEqual([]);
});
