import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Random } from '../../bench/random.ts';
import { ServerProcess } from '../soak/server-process.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples } from '../support/server.ts';

const admin = { tokens: [{ name: 'editor', sha256: sha256('editor'), rights: ['changes'] }] };

/** Each change gives both things the same title. */
const things = ['a', 'b'];

const titleOf = (number: number) => `change ${number} `.repeat(1 + (number % 40));

/** What is known of a server over all its kills. */
interface Known {
  /** The last change that was answered, and its answer. */
  answered: number;
  answer: unknown;
  /** The last change that was sent. */
  sent: number;
}

/**
 * Kills `lectern serve` again and again while it applies changes and compacts its journal, and looks at what it serves
 * after the next start. Returns a summary, or null if an answered change was lost or half of one was applied.
 */
export async function soakJournalCompaction(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-compaction-'));
  const snapshot = join(folder, 'things.json');
  const random = new Random(firstSeed);
  const entries = things.map((documentId) => ({ documentId, title: titleOf(0) }));
  writeFileSync(snapshot, JSON.stringify(thingSnapshot({ title: { type: 'text' } }, entries)));
  const known: Known = { answered: 0, answer: null, sent: 0 };
  let kills = 0;
  let compactions = 0;
  let unfinished = 0;
  try {
    for (; goesOn(kills, firstSeed); kills++) {
      const server = await start(folder, snapshot, random.pick([1, 1, 20_000]));
      // what an interrupted compaction left is removed
      const left = readdirSync(folder).filter((name) => /^\.|\.image$/.test(name));
      if (left.length > 1) throw new Error(`there are ${left}`);
      await check(server, known);
      const state = { isOver: false };
      const sending = send(server, known, state);
      await setTimeout(random.integer(0, 2_000));
      compactions += await compactionsOf(server);
      state.isOver = true;
      await server.kill();
      await sending;
      if (readdirSync(folder).some((name) => name.startsWith('.'))) unfinished++;
    }
    return `${kills} kills, ${known.answered} changes kept, ${compactions} compactions, ${unfinished} interrupted ones`;
  } catch (error) {
    console.error(error);
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function start(folder: string, snapshot: string, journalBytes: number): Promise<ServerProcess> {
  const config = join(folder, 'config.json');
  const journal = join(folder, 'journal');
  const log = { format: 'json', level: 'info' };
  writeFileSync(config, JSON.stringify({ adminPort: 0, admin, public: true, journal, journalBytes, log }));
  return ServerProcess.start(snapshot, config);
}

/** Sends changes one after the other, until the server is killed. */
async function send(server: ServerProcess, known: Known, state: { isOver: boolean }): Promise<void> {
  while (!state.isOver) {
    const number = ++known.sent;
    try {
      known.answer = await change(server, number);
      known.answered = number;
    } catch (error) {
      if (!state.isOver) throw error;
    }
  }
}

/** Rejects if the answer is not a 200. */
async function change({ adminPort }: ServerProcess, number: number): Promise<unknown> {
  const changes = things.map((documentId) => ({
    upsert: 'api::thing.thing',
    entry: { documentId, title: titleOf(number) },
  }));
  const { status, body, json } = await askServer(adminPort, '/_changes', {
    method: 'POST',
    headers: { Authorization: 'Bearer editor', 'Content-Type': 'application/json', 'Idempotency-Key': `key ${number}` },
    body: JSON.stringify({ changes }),
  });
  if (status !== 200) throw new Error(`change ${number} gets ${status}: ${body}`);
  return json();
}

/** Throws unless the last change that was answered is served, or the one that was sent after it. */
async function check(server: ServerProcess, known: Known): Promise<void> {
  const { json, headers } = await askServer(server.port, '/api/things');
  const titles = json().data.map(({ title }: { title: string }) => title);
  const number = [known.answered, known.sent].find((each) => titles[0] === titleOf(each));
  if (number === undefined || titles[1] !== titles[0]) {
    throw new Error(`change ${known.answered} of ${known.sent} was answered, the titles are ${titles}`);
  }
  if (known.answer) {
    const again = await change(server, known.answered);
    if (JSON.stringify(again) !== JSON.stringify(known.answer)) {
      throw new Error(`the answer was ${JSON.stringify(known.answer)}, and is ${JSON.stringify(again)}`);
    }
  }
  const sequence = Number(String(headers['x-lectern-version']).split('-')[1]);
  if (
    known.answer &&
    sequence - (known.answer as { sequence: number }).sequence !== (number === known.answered ? 0 : 1)
  ) {
    throw new Error(`version ${headers['x-lectern-version']} is served after ${JSON.stringify(known.answer)}`);
  }
  known.answered = number;
  // its answer was lost: the key gives it again
  if (number > 0) known.answer = await change(server, number);
}

async function compactionsOf({ adminPort }: ServerProcess): Promise<number> {
  const { body } = await askServer(adminPort, '/_metrics');
  return samples(body.toString()).get('lectern_journal_compactions_total{result="finished"}')!;
}
