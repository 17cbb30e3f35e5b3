/** Runs the built command line, with snapshots and config files in a folder of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const findNotes = 'api::note.note.find';

/** The environment of this process without what the command line reads. A busy machine logs no slow queries. */
function environment(added: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PORT, HOST, JWT_SECRET, ADMIN_PORT, LOG_LEVEL, ...rest } = process.env;
  const others = Object.entries(rest).filter(([name]) => !name.startsWith('LECTERN_'));
  return { ...Object.fromEntries(others), LECTERN_LOG_SLOW_MILLISECONDS: '0', ...added };
}

/** The command line for the tests of one file, which ends its processes and removes its folder. */
export class CommandLine {
  readonly folder = temporaryFolder();
  readonly #running: ChildProcess[] = [];

  constructor() {
    afterAll(() => this.killAll());
  }

  killAll(): void {
    for (const child of this.#running.splice(0)) child.kill('SIGKILL');
  }

  /** Writes a JSON file into the folder and returns its path. */
  write(path: string, value: unknown): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
    return file;
  }

  /** Writes a snapshot of two notes, the first of which refers to an author. */
  writeSnapshot(name: string, author: string): string {
    this.write(`${name}/content-types/note.json`, {
      info: { singularName: 'note', pluralName: 'notes' },
      attributes: {
        title: { type: 'string' },
        author: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer' },
      },
    });
    this.write(`${name}/content-types/writer.json`, {
      info: { singularName: 'writer', pluralName: 'writers' },
      attributes: { name: { type: 'string' } },
    });
    this.write(`${name}/entries/note.json`, [
      { documentId: 'one', title: 'First', author },
      { documentId: 'two', title: 'Second' },
    ]);
    this.write(`${name}/entries/writer.json`, [{ documentId: 'ada', name: 'Ada' }]);
    this.write(`${name}/entries/user.json`, [
      { documentId: 'u', username: 'u', email: 'u@example.org', role: 'authenticated' },
    ]);
    this.write(`${name}/roles.json`, [
      { type: 'public', permissions: [findNotes] },
      { type: 'authenticated', permissions: [findNotes, 'api::writer.writer.find'] },
    ]);
    return join(this.folder, name);
  }

  /** Runs a command that ends by itself. */
  run(args: string[], added: Record<string, string> = {}): Promise<Outcome> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [cli, ...args], { env: environment(added) }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
      this.#running.push(child);
    });
  }

  /** Starts a command that goes on. */
  spawn(args: string[], added: Record<string, string> = {}) {
    const child = spawn(process.execPath, [cli, ...args], { env: environment(added) });
    this.#running.push(child);
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (printed.stdout += data));
    child.stderr.on('data', (data) => (printed.stderr += data));
    const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
    return { child, exit, printed };
  }

  /** Starts a server and waits until it has printed its address. */
  async serve(snapshot: string, args: string[], added: Record<string, string> = {}) {
    const { child, exit, printed } = this.spawn(['serve', snapshot, ...args], added);
    while (!printed.stdout.includes('dialects differ\n')) {
      const ended = await Promise.race([once(child.stdout, 'data'), exit.then(() => 'ended')]);
      if (ended === 'ended') throw new Error(`serve ended: ${printed.stderr}`);
    }
    const url = /http:\/\/\S+/.exec(printed.stdout)![0];
    return { child, exit, printed, url, port: Number(new URL(url).port) };
  }
}
