/** Runs nginx with its example in front of a server, and tests what it caches and serves without the server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import { untilReady } from './processes.ts';

const example = readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8');

/** Lectern's config in the example. */
export const exampleConfig = JSON.parse(/^# (\{.*\})$/m.exec(example)![1]) as {
  cacheControl: { value: string }[];
};

/** nginx counts in whole seconds: a second of max-age may last almost two. */
const expiry = 2500;

export function hasNginx(): boolean {
  return !spawnSync('nginx', ['-v']).error;
}

/** `command` starts Lectern. `expect` receives the result of each check. */
export async function runProxy(
  command: readonly string[],
  scratch: string,
  expect: (holds: boolean, what: string) => void,
): Promise<void> {
  const folder = join(scratch, 'nginx');
  mkdirSync(folder);
  const [port, adminPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const [{ value }] = exampleConfig.cacheControl;
  // a second in place of ten
  const cacheControl = [{ value: value.replace('max-age=10', 'max-age=1') }];
  writeFileSync(join(folder, 'lectern.json'), JSON.stringify({ ...exampleConfig, port, adminPort, cacheControl }));
  writeFileSync(join(folder, 'nginx.conf'), localConfig(folder, port, proxyPort));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' });
  expect(checked.status === 0, `nginx accepts its example ${checked.status === 0 ? '' : checked.stderr}`);

  const start = async () => {
    const child = spawn(command[0], [...command.slice(1), '--config', join(folder, 'lectern.json')], {
      stdio: 'ignore',
    });
    await untilReady(child, adminPort);
    return child;
  };
  const nginx = spawn('nginx', [...args, '-g', 'daemon off;'], { stdio: 'inherit' });
  let lectern = await start();
  const url = `http://127.0.0.1:${proxyPort}/api/articles?sort=id`;
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers: { 'Accept-Encoding': 'identity', ...headers } });
    await answer.arrayBuffer();
    return `${answer.status} ${answer.headers.get('X-Cache')} ${answer.headers.get('Content-Encoding') ?? 'plain'}`;
  };
  try {
    expect((await ask()) === '200 MISS plain', 'a first request is passed on');
    expect((await ask()) === '200 HIT plain', 'its reply is stored');
    expect((await ask({ 'Accept-Encoding': 'br' })) === '200 MISS br', 'another coding is asked for');
    expect((await ask({ 'Accept-Encoding': 'br' })) === '200 HIT br', 'and stored beside the first');
    expect((await ask()) === '200 HIT plain', 'which is still there');
    expect((await ask({ Authorization: 'Bearer wrong' })) === '401 BYPASS plain', 'credentials pass the cache by');
    await elapsed(expiry);
    expect((await ask()) === '200 STALE plain', 'an old reply is served while it is asked for again');
    await until(ask, '200 HIT plain');
    await ended(lectern);
    await elapsed(expiry);
    expect((await ask()) === '200 STALE plain', 'replies are served while Lectern is away');
    lectern = await start();
    await until(ask, '200 HIT plain');
    expect(true, 'and renewed when it is back');
  } finally {
    await ended(lectern);
    await ended(nginx);
  }
}

/** The example without TLS, on other ports and with its files in a folder. */
export function localConfig(folder: string, port: number, proxyPort: number, change = (text: string) => text): string {
  const site = change(example)
    .replace(/^.*(ssl_certificate|\[::\]).*$/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${proxyPort}`)
    .replace('server 127.0.0.1:1338', `server 127.0.0.1:${port}`)
    .replaceAll('/var/cache/nginx', folder);
  const files = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const root = process.getuid?.() === 0 ? 'user root;' : '';
  const logs = `error_log ${folder}/error.log;`;
  return `${root}\npid ${folder}/pid;\n${logs}\nevents {}\nhttp {\naccess_log off;\n${files.join('\n')}\n${site}\n}\n`;
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function until(ask: () => Promise<string>, wanted: string): Promise<void> {
  for (let i = 0; i < 50; i++) {
    if ((await ask()) === wanted) return;
    await elapsed(100);
  }
  throw new Error(`not so: ${wanted} within five seconds`);
}
