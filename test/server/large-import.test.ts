/** An import takes memory for its batches, whatever the size of the body. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { ImportAnswer } from '../../src/server/admin/import-changes.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { endProcessesAfterEach, startProcess } from '../support/threads.ts';
import { waitFor } from '../support/wait.ts';

endProcessesAfterEach();
afterEach(() => void vi.unstubAllEnvs());

const lines = 200_000;
const documents = 2000;
const title = (i: number) => `${i} `.padEnd(1500, 'x');

function* pieces(): Generator<Buffer> {
  let text = '';
  for (let i = 0; i < lines; i++) {
    const entry = { documentId: `d${i % documents}`, title: title(i) };
    text += `${JSON.stringify({ upsert: 'api::thing.thing', entry })}\n`;
    if (text.length < 2 ** 16 && i < lines - 1) continue;
    yield Buffer.from(text);
    text = '';
  }
}

/** Bytes of memory that the process has had at most. */
const peakOf = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;

test.runIf(existsSync('/proc/self/status'))(
  '200,000 lines of 300 MB are never in memory together',
  async () => {
    // garbage is collected early, so that the peak is about what is held
    vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=200');
    const folder = temporaryFolder();
    const path = join(folder, 'things.json');
    writeFileSync(path, JSON.stringify(thingSnapshot({ title: { type: 'text' } }, [])));
    const tokens = [{ name: 'editor', sha256: sha256('editor'), rights: ['changes'] }];
    const settings = { public: true, admin: { tokens } };
    const { child, port, adminPort } = await startProcess(
      path,
      ['--admin-port', '0', '--journal', join(folder, 'journal')],
      settings,
    );
    let bytes = 0;
    const body = (async function* () {
      for (const piece of pieces()) {
        bytes += piece.length;
        yield piece;
      }
    })();
    const headers = { Authorization: 'Bearer editor', 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': 'k' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as unknown as RequestInit;
    const answer = await fetch(`http://127.0.0.1:${adminPort}/_changes`, init);
    const { batches } = (await answer.json()) as ImportAnswer;
    expect([answer.status, batches.length, batches.at(-1)!.lastLine]).toEqual([200, lines / 10_000, lines]);
    expect(bytes).toBeGreaterThan(300_000_000);
    // a server that held the body would take it besides its own 350 MiB
    expect(peakOf(child.pid!)).toBeLessThan(450 * 2 ** 20);
    const last = documents - 1;
    const { data } = (await askServer(port, `/api/things/d${last}`)).json();
    expect(data.title).toBe(title(lines - 1));
    // the journal was compacted meanwhile
    await waitFor(() => expect(readdirSync(folder).filter((name) => name.endsWith('.image'))).toHaveLength(1));
  },
  900_000,
);
