/** Every command of a page is run: here, by `.ci/run`, or by a long run named below. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackProject } from '../load/project/recorded-projects.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { writeJournal } from '../support/journaled.ts';
import { blocksOf, commandsOf, pageAt, pages, project } from './pages.ts';

const commands = [...new Set(pages.flatMap(commandsOf))];
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What `.ci/run` does on a clean checkout, and commands of which it runs a part. */
const runByCi = ['npm ci', 'npm run check', 'npm run lint', 'npm test', 'npx vitest related', 'npx vitest run'];

/** The steps of docs/deployment.md and the script of docs/new-content.md, which test/deploy runs. */
const runByOtherTests =
  /^(?:docker|install|cp|ln|mv|rm|nginx|env|useradd|echo|git pull|systemctl|\/usr\/bin\/node|deploy\/new-content\.sh)\b/;

/** The first part of docs/previews.md, which test/documents/previews.test.ts and test/websites/previews.ts run. */
const runAsWalk = /^(?:node lectern\/dist\/cli\.js|npm --prefix|npm start)\b/;

/** Commands that people run in other projects or by hand because of what they need. */
const elsewhere = [
  'LECTERN_SOURCE_TOKEN=TOKEN lectern pull',
  'LECTERN_SOURCE_TOKEN=TOKEN lectern serve',
  'git clone',
  'npx create-strapi@5',
  'npx strapi export',
  'npm rebuild better-sqlite3',
  "echo '/api/articles?",
];

/** The API token of a front end. */
const token = 'a token of the front end';

const run = promisify(execFile);

describe('commands', () => {
  const folder = temporaryFolder();
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** The names that the pages use for people's own files. */
  beforeAll(async () => {
    const exported = (name: string) => join(project, 'test/conformance', name, 'export.tar.gz');
    cpSync(exported('gazette'), join(folder, 'content.tar.gz'));
    cpSync(exported('gazette'), join(folder, 'preview.tar.gz'));
    cpSync(exported('almanac'), join(folder, 'export_20240131.tar.gz'));
    writeFileSync(join(folder, 'db.json'), JSON.stringify({ posts: [{ id: 1, title: 'One' }] }));
    const config = blocksOf(pageAt('README.md')).find(({ text }) => text.includes('"tokens"'))!;
    writeFileSync(join(folder, 'lectern.json'), config.text.replace('DIGEST', digestOf(token)));
    mkdirSync(join(folder, 'path/to/strapi-project/src/api'), { recursive: true });
    writeFileSync(join(folder, 'path/to/strapi-project/package.json'), '{}');
    cpSync(unpackProject('archive'), join(folder, 'my-strapi'), { recursive: true });
    await run(process.execPath, [cli, 'build', 'content.tar.gz', '--out', 'content.lectern'], { cwd: folder });
  });

  test('the README gives the program its name, and another port than that of Strapi', () => {
    const readme = commandsOf(pageAt('README.md'));
    const alias = readme.find((command) => command.startsWith('alias '));
    const script = `shopt -s expand_aliases\n${alias}\nlectern --version\n`;
    expect(execFileSync('bash', ['-c', script], { cwd: project, encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const command of readme.filter(isServe)) expect(command).toMatch(/ --port 1338$| --config lectern\.json$/);
  });

  /** Run by test/replica/serve-replica.test.ts beside a publisher. */
  const needsPublisher = (command: string) => /^lectern (?:serve|status) redis:/.test(command);
  const isServe = (command: string) =>
    /^(?:lectern|node dist\/cli\.js) serve /.test(command) && !needsPublisher(command);
  /** Run by tests of their own, such as test/threads/pin.test.ts and test/cli/pull.test.ts, because they ask a running server. */
  const asksServer = (command: string) => /^lectern (?:pin|pull|previews)\b/.test(command);
  const isCli = (command: string) => /^(?:lectern|node dist\/cli\.js) /.test(command);

  function argumentsOf(command: string): string[] {
    const names: Record<string, string> = {
      SNAPSHOT: join(project, 'data/demo'),
      PROJECT: 'path/to/strapi-project',
      // the README serves the folder in which a reader is
      '.': 'my-strapi',
    };
    const words = command
      .replace(/ > .*$/, '')
      .split(/\s+/)
      .slice(command.startsWith('node') ? 2 : 1);
    return words
      .map((word) => names[word] ?? (word === 'URL' ? '/api/articles' : word.replace(/^'(.*)'$/, '$1')))
      .filter((word) => !word.startsWith('['));
  }

  test.concurrent.each(
    commands.filter(
      (command) =>
        isCli(command) &&
        ![isServe, asksServer, needsPublisher].some((is) => is(command)) &&
        !command.endsWith('health'),
    ),
  )('%s', async (command) => {
    const args = argumentsOf(command);
    // another command has the journal of the same name
    const cwd = args[2] === '--journal' ? await folderWithJournal(args[1], args[3]) : folder;
    const { stdout } = await run(process.execPath, [cli, ...args], { cwd });
    expect(stdout.length).toBeGreaterThan(0);
  });

  async function folderWithJournal(snapshot: string, journal: string): Promise<string> {
    const ofJournal = temporaryFolder();
    cpSync(join(folder, 'content.tar.gz'), join(ofJournal, 'content.tar.gz'));
    await writeJournal(join(ofJournal, journal), resolve(ofJournal, snapshot), [{ entities: [], links: [] }]);
    return ofJournal;
  }

  test.concurrent.each(commands.filter(isServe))('%s', async (command) => {
    const child = spawn(process.execPath, [cli, ...argumentsOf(command), '--port', '0'], { cwd: folder });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (text) => (printed += text));
    while (!/http:\/\/\S+/.test(printed)) await once(child.stdout, 'data');
    const [address] = /http:\/\/[^/\s]+/.exec(printed)!;
    expect((await fetch(`${address}/_health`)).status).toBe(204);
    if (command.includes('--config lectern.json')) {
      const statusOf = async (text: string) =>
        (await fetch(`${address}/api/restaurants`, { headers: { Authorization: `Bearer ${text}` } })).status;
      expect([await statusOf(token), await statusOf('another')]).toEqual([200, 401]);
    }
    const environment = { ...process.env, PORT: new URL(address).port };
    await run(process.execPath, [cli, 'health'], { env: environment });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('every other command is run by the checks or names an existing script', () => {
    const others = commands.filter((command) => !isCli(command) && !/^(?:curl|alias|printf) /.test(command));
    const unknown = others.filter((command) => {
      if ([...runByCi, ...elsewhere].some((known) => command.startsWith(known))) return false;
      if (runByOtherTests.test(command) || runAsWalk.test(command)) return false;
      const [, script] = /^npm run ([\w:]+)/.exec(command) ?? [];
      if (script) return !(script in scripts) || !entryExists(scripts[script]);
      const [, file] = /^npx tsx (\S+)/.exec(command) ?? [];
      return !file || !existsSync(join(project, file));
    });
    expect(unknown).toEqual([]);
  });
});

/** Whether the TypeScript files that a script of package.json starts are there. */
function entryExists(script: string): boolean {
  return Array.from(script.matchAll(/tsx (\S+)/g), ([, file]) => file).every((file) => existsSync(join(project, file)));
}

/** Returns the digest that the command of the README prints for a token. */
function digestOf(text: string): string {
  const command = commandsOf(pageAt('README.md')).find((each) => each.startsWith('printf '))!;
  const env = { ...process.env, STRAPI_API_TOKEN: text };
  const digest = execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }).slice(0, 64);
  expect(digest).toBe(sha256(text));
  return digest;
}
