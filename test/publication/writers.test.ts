import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPublication } from '../../src/publication/open-publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { headAt, stateAt } from './contents.ts';
import { startRedis, type TestServer } from './redis-server.ts';

const images = temporaryFolder('lectern-images-');
const program = join(import.meta.dirname, 'write-versions.ts');
const last = 30;
let server: TestServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  await server.stop();
});

/** Runs writers in a process of their own. Returns the versions that each has won. */
async function runWriters(to: string, ids: string[]): Promise<[string, number[]][]> {
  const args = ['--import', 'tsx', program, to, images, 'site', String(last), ...ids];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  return JSON.parse(output);
}

test.each(['Redis', 'a folder'])(
  '%s lets exactly one of eight writers in four processes win each version',
  async (kind) => {
    const to = kind === 'Redis' ? server.url : pathToFileURL(temporaryFolder('lectern-publication-')).href;
    const { publication, close } = await openPublication({ to, name: 'site', images, isPublisher: true }, {}, () => {});
    await publication.appendIf(null, headAt(0));
    const processes = [0, 1, 2, 3].map((i) => runWriters(to, [`writer ${i}`, `writer ${i + 4}`]));
    const wins = new Map((await Promise.all(processes)).flat());
    const { changes, head } = await publication.readFrom(stateAt(0), { wait: 0 });
    expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    for (const { sequence, changes: writer } of changes) expect(wins.get(writer as string)).toContain(sequence);
    expect([...wins.values()].flat()).toHaveLength(last);
    expect(head?.digest).toBe(changes.at(-1)?.digests.after);
    // the processes have competed
    expect([...wins.values()].filter((won) => won.length > 0).length).toBeGreaterThan(1);
    await close();
  },
  120_000,
);
