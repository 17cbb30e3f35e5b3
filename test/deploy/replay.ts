/**
 * Performs the steps of deploy/ in clean folders: builds the stages of the image from the tracked files, runs
 * its command and health check as its user in a root folder of its own, checks that nothing was written, and stops it; then
 * the command of the systemd unit in the same folder. Needs the network (npm ci), root and Linux.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from '../support/cli.ts';
import { addBase, firstProcess, mayStartContainers, runInContainer, startContainer } from './container.ts';
import { commandOf, type Instruction, inContext, readDockerfile } from './dockerfile.ts';
import { untilReady } from './processes.ts';
import { runProxiedUpstream } from './proxied-upstream.ts';
import { hasNginx, runProxy } from './proxy.ts';

const project = join(import.meta.dirname, '../..');
const deploy = join(project, 'deploy');
const scratch = mkdtempSync(join(tmpdir(), 'lectern-deploy-'));
// the server runs as another user, who needs access
chmodSync(scratch, 0o755);

interface Stage {
  readonly root: string;
  folder: string;
  readonly variables: Record<string, string>;
  user: string | null;
  health: string[] | null;
  entry: string[];
  command: string[];
}

function say(text: string): void {
  console.log(text);
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
  say(`  ${what}`);
}

/** The tracked files that the image is built from. */
function makeContext(): string {
  const context = join(scratch, 'context');
  const ignored = readFileSync(join(deploy, 'Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: project, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files.filter((each) => inContext(ignored, each))) {
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(project, file), join(context, file));
  }
  return context;
}

function build(instructions: Instruction[], context: string): Stage {
  const stages = new Map<string, Stage>();
  let stage!: Stage;
  for (const instruction of instructions) {
    const { name, text } = instruction;
    say(`${name} ${text}`);
    switch (name) {
      case 'FROM': {
        const alias = / AS (\S+)$/.exec(text)?.[1] ?? `stage ${stages.size}`;
        const root = join(scratch, alias.replace(' ', '-'));
        mkdirSync(root);
        stage = { root, folder: root, variables: {}, user: null, health: null, entry: [], command: [] };
        stages.set(alias, stage);
        break;
      }
      case 'WORKDIR':
        stage.folder = join(stage.root, text);
        mkdirSync(stage.folder, { recursive: true });
        break;
      case 'ENV':
        for (const pair of text.split(/\s+/)) {
          const [name, value] = pair.split(/=(.*)/);
          stage.variables[name] = value.replace(/^'|'$|^\$.*/g, '');
        }
        break;
      case 'COPY':
        copy(stage, text, context, stages);
        break;
      case 'RUN':
        execFileSync('sh', ['-c', text], {
          cwd: stage.folder,
          env: environment(stage),
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        break;
      case 'USER':
        stage.user = text;
        break;
      case 'HEALTHCHECK':
        stage.health = commandOf(instruction);
        break;
      case 'ENTRYPOINT':
        stage.entry = commandOf(instruction);
        break;
      case 'CMD':
        stage.command = commandOf(instruction);
        break;
      case 'EXPOSE':
      case 'ARG':
        break;
      default:
        throw new Error(`an instruction that this script does not know: ${name}`);
    }
  }
  return stage;
}

function copy(stage: Stage, text: string, context: string, stages: Map<string, Stage>): void {
  const words = text.split(/\s+/);
  const from = words[0].startsWith('--from=') ? stages.get(words.shift()!.slice(7))!.root : context;
  const target = words.pop()!;
  for (const source of words) {
    const path = join(from, source);
    const isFolder = statSync(path).isDirectory();
    // the content of a folder is copied into the target; a file, if the target is a folder
    cpSync(path, join(stage.folder, target, isFolder ? '' : basename(source)), { recursive: true });
  }
}

/** The environment: only PATH. */
function environment({ root, variables }: Pick<Stage, 'root' | 'variables'>): NodeJS.ProcessEnv {
  return { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: root, ...variables };
}

/** An unprivileged user, if this process may change its user. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Every path with its size and time. */
function listing(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => {
      const { size, mtimeMs } = statSync(join(folder, file));
      return `${file} ${size} ${mtimeMs}`;
    })
    .sort()
    .join('\n');
}

async function stopped(child: ChildProcess): Promise<unknown> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  return (await exit)[0];
}

async function runImage(stage: Stage, snapshot: string): Promise<void> {
  const { root, user } = stage;
  expect(/^[1-9]\d*$/.test(user ?? ''), 'the image has the number of a user that is not root');
  const { packages } = JSON.parse(readFileSync(join(stage.folder, 'sbom.spdx.json'), 'utf8'));
  const names = packages.map(({ name }: { name: string }) => name);
  expect(names.includes('express') && !names.includes('vitest'), `its list of packages has ${names.length}`);
  addBase(root);
  cpSync(snapshot, join(root, 'snapshot'), { recursive: true });
  const before = listing(root);
  const port = await freePort();
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...stage.variables,
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const options = { root, folder: stage.folder.slice(root.length), user: user!, env };
  const container = startContainer(options, [...stage.entry, ...stage.command]);
  await untilReady(container, port);
  const found = await fetch(`http://127.0.0.1:${port}/api/articles`);
  expect(found.status === 200, 'it serves the snapshot');
  const first = await firstProcess(container);
  expect(/^Uid:\s+1000\s/m.test(readFileSync(`/proc/${first}/status`, 'utf8')), 'as a user without rights');
  const write = (path: string) => ['node', '-e', `require('node:fs').writeFileSync('${path}', '')`];
  expect((await runInContainer(container, options, write('/lectern/x'))) === 1, 'which can write nowhere');
  expect((await runInContainer(container, options, write('/tmp/x'))) === 0, 'but in /tmp');
  expect((await runInContainer(container, options, stage.health!)) === 0, 'its health check succeeds');
  process.kill(first, 'SIGSTOP');
  expect((await runInContainer(container, options, stage.health!)) === 1, 'its health check fails while it hangs');
  process.kill(first, 'SIGCONT');
  const exit = once(container, 'exit');
  process.kill(first, 'SIGTERM');
  expect((await exit)[0] === 0, 'SIGTERM ends it with 0');
  expect(listing(root) === before, 'nothing was written');
}

async function runUnit(stage: Stage, snapshot: string): Promise<void> {
  const unit = readFileSync(join(deploy, 'lectern.service'), 'utf8');
  const line = /^ExecStart=(.*)$/m.exec(unit)![1];
  const port = await freePort();
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify({ port }));
  const places: [string, string][] = [
    ['/usr/bin/node', process.execPath],
    ['/opt/lectern', stage.folder],
    ['/srv/lectern/snapshot', snapshot],
    ['/etc/lectern/config.json', config],
  ];
  const command = places.reduce((text, [from, to]) => text.replace(from, to), line);
  expect(
    places.every(([from]) => line.includes(from)),
    `the unit starts ${line}`,
  );
  const [program, ...rest] = command.split(' ');
  const child = spawn(program, rest, { cwd: '/', env: {}, ...nobody, stdio: 'inherit' });
  await untilReady(child, port);
  expect((await stopped(child)) === 0, 'it gets ready, and SIGTERM ends it with 0');
}

/** Checks by system tools, if they are installed. */
function askTools(): void {
  const verified = spawnSync('systemd-analyze', ['verify', join(deploy, 'lectern.service')], { encoding: 'utf8' });
  if (verified.error) say('  (no systemd-analyze here)');
  else expect(verified.status === 0 && verified.stderr === '', `systemd accepts the unit ${verified.stderr}`);
}

if (!mayStartContainers()) throw new Error('this takes root, and Linux with namespaces (unshare)');
try {
  const snapshot = join(scratch, 'snapshot');
  cpSync(join(project, 'data/demo'), snapshot, { recursive: true });
  const stage = build(readDockerfile(join(deploy, 'Dockerfile')), makeContext());
  say('The image:');
  await runImage(stage, snapshot);
  say('The unit:');
  await runUnit(stage, snapshot);
  say('Tools:');
  askTools();
  say('The proxy:');
  if (hasNginx()) {
    const command = [...stage.entry.map((word) => word.replace('dist/', `${stage.folder}/dist/`)), 'serve', snapshot];
    await runProxy(command, scratch, expect);
    await runProxiedUpstream(command, scratch, expect);
  } else say('  (no nginx here)');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
