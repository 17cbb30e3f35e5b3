import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { readConfig } from '../../src/model/settings/read-config.ts';
import { blocksOf, commandsOf, pageAt } from '../documents/pages.ts';
import { commandOf, inContext, readDockerfile } from './dockerfile.ts';
import { exampleConfig } from './proxy.ts';

/** Static checks of deploy/. `npm run test:deploy` runs it. */

const project = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(project, 'deploy', file), 'utf8');
const page = readFileSync(join(project, 'docs/deployment.md'), 'utf8');

test('the image is built from existing files of its context and runs as an unprivileged user', () => {
  const patterns = read('Dockerfile.dockerignore').trim().split('\n');
  const instructions = readDockerfile(join(project, 'deploy/Dockerfile'));
  const named = (name: string) => instructions.filter((each) => each.name === name);
  const sources = named('COPY')
    .filter(({ text }) => !text.startsWith('--from'))
    .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
  expect(sources).toContain('src');
  for (const source of sources) {
    expect(existsSync(join(project, source)), source).toBe(true);
    expect(inContext(patterns, source), source).toBe(true);
  }
  for (const file of ['node_modules/x', 'data/demo/roles.json', '.git/config', 'test/x.ts', 'config.json']) {
    expect(inContext(patterns, file), file).toBe(false);
  }
  expect(named('USER').map(({ text }) => text)).toEqual(['1000']);
  expect(commandOf(named('ENTRYPOINT')[0])).toEqual(['node', 'dist/cli.js']);
  expect(commandOf(named('CMD')[0])[0]).toBe('serve');
  expect(commandOf(named('HEALTHCHECK')[0])).toEqual(['node', 'dist/cli.js', 'health', '--process', '1']);
  // exact versions, because a digest needs access to the registry
  for (const { text } of named('FROM')) expect(text).toMatch(/^node:\d+\.\d+\.\d+-slim( AS \w+)?$/);
  const defaults = /LECTERN_DEFAULTS='(.*)'/.exec(named('ENV')[0].text)![1];
  expect(configSchema.parse(JSON.parse(defaults))).toMatchObject({ host: '0.0.0.0', log: { format: 'json' } });
  // install scripts of packages are not needed
  const installs = named('RUN').filter(({ text }) => /npm (ci|prune|install|pack)/.test(text));
  expect(installs.length).toBeGreaterThan(0);
  for (const { text } of installs) expect(text).toContain('--ignore-scripts');
});

test('the volumes that containers write to lie on folders of the image that belong to its user', () => {
  const instructions = readDockerfile(join(project, 'deploy/Dockerfile'));
  const folders = instructions
    .find(({ text }) => text.startsWith('install -d -o 1000 -g 1000 '))!
    .text.split(' ')
    .slice(6);
  for (const compose of ['compose.url.yaml', 'compose.replicas.yaml']) {
    const text = read(compose);
    const [, names] = /^volumes:\n((?: {2}\w+:\n)+)/m.exec(`${text}\n`)!;
    for (const name of names.match(/\w+/g)!) {
      // that of Redis belongs to another image
      if (name !== 'redis') expect(text.includes(`${name}:/${name}`) && folders.includes(name), name).toBe(true);
    }
  }
});

test('the image with content serves the prebuilt image that it copies, on all processors', () => {
  const instructions = readDockerfile(join(project, 'deploy/Dockerfile.content'));
  const textOf = (name: string) => instructions.find((each) => each.name === name)!.text;
  const [, name, value] = /^(LECTERN_\w+)=(\w+)$/.exec(textOf('ENV'))!;
  expect(readConfig({ environment: { [name]: value } }).threads).toBe('auto');
  const [source, folder] = textOf('COPY').split(' ');
  expect(commandOf(instructions.find((each) => each.name === 'CMD')!)).toEqual(['serve', folder + source]);
  // the container image of the other Dockerfile, by the name that the page gives it
  expect(page).toMatch(new RegExp(`docker build -f deploy/Dockerfile .*-t ${textOf('FROM')} \\.$`, 'm'));
});

test('process managers wait for longer than the server takes to stop and allow its connections', () => {
  const { timeouts, connections } = configSchema.parse({});
  const seconds = (text: string, pattern: RegExp) => Number(pattern.exec(text)![1]);
  expect(seconds(read('lectern.service'), /^TimeoutStopSec=(\d+)$/m) * 1000).toBeGreaterThan(timeouts.stop);
  for (const compose of ['compose.yaml', 'compose.database.yaml', 'compose.url.yaml', 'compose.replicas.yaml']) {
    expect(seconds(read(compose), /stop_grace_period: (\d+)s/) * 1000).toBeGreaterThan(timeouts.stop);
  }
  expect(seconds(read('lectern.service'), /^LimitNOFILE=(\d+)$/m)).toBeGreaterThan(connections.most);
});

test('the unit reloads the content by a signal', () => {
  expect(read('lectern.service')).toMatch(/^ExecReload=\S+ -HUP \$MAINPID$/m);
});

test('the settings that the nginx example requires are valid', () => {
  const { trustProxy, cacheControl } = configSchema.parse(exampleConfig);
  expect(trustProxy).toEqual(['loopback']);
  // with max-age=0 nginx stores nothing
  expect(cacheControl[0].value).toMatch(/max-age=[1-9]/);
});

test('the proxy, the script and the configs of the page have the same ports', () => {
  const { port, adminPort } = configSchema.parse(exampleConfig);
  expect([port, adminPort]).toEqual([1338, 1339]);
  expect(/^upstream lectern \{\n +server 127\.0\.0\.1:(\d+);/m.exec(read('nginx.conf'))![1]).toBe(String(port));
  expect(read('new-content.sh')).toContain(`:-http://127.0.0.1:${adminPort}/_ready}`);
  for (const compose of ['compose.yaml', 'compose.database.yaml', 'compose.url.yaml']) {
    expect(read(compose)).toContain(`"127.0.0.1:${port}:1337"`);
  }
  const deployment = pageAt('docs/deployment.md');
  const written = commandsOf(deployment).flatMap(
    (command) => /^echo '(\{.*\})' > \/etc\/lectern\//.exec(command)?.[1] ?? [],
  );
  expect(written).toHaveLength(2);
  for (const text of written) expect(configSchema.parse(JSON.parse(text))).toMatchObject({ port, adminPort });
  const ofProxy = blocksOf(deployment).find(({ text }) => text.includes('"trustProxy"'))!;
  expect(JSON.parse(ofProxy.text)).toEqual({ ...exampleConfig, cacheDir: '/var/cache/lectern' });
});

test('the steps create the folder above the cache of nginx', () => {
  const [, folder] = /^proxy_cache_path (\S+)\/lectern /m.exec(read('nginx.conf'))!;
  expect(commandsOf(pageAt('docs/deployment.md'))).toContain(`install -d ${folder}`);
});

test('every file and folder in deploy/ is explained', () => {
  const files = execFileSync('git', ['ls-files', '--others', '--cached', '--exclude-standard', 'deploy'], {
    cwd: project,
    encoding: 'utf8',
  });
  const names = new Set(
    files
      .trim()
      .split('\n')
      .map((file) => file.split('/')[1]),
  );
  const docs = join(project, 'docs');
  const pages = readdirSync(docs).map((file) => readFileSync(join(docs, file), 'utf8'));
  for (const name of names) {
    const isNamed = pages.some((text) => text.includes(`deploy/${name}`));
    expect(isNamed, name).toBe(true);
  }
});

test('publisher and replicas of the examples have valid settings that belong together', () => {
  const manifests = read('replicas.kubernetes.yaml');
  const block = (name: string) => new RegExp(`  ${name}: \\|\n((?: {4}.*\n)+)`).exec(manifests)![1];
  const [publisher, replica] = ['publisher.json', 'replica.json'].map((name) =>
    configSchema.parse(JSON.parse(block(name))),
  );
  expect(publisher.publish!.images).toBe(replica.images);
  expect(manifests).toContain(`args: [serve, "${publisher.publish!.to}", --name, ${publisher.publish!.name}, `);
  const secrets = Array.from(
    /stringData:\n((?: {2}.*\n)+)/.exec(manifests)![1].matchAll(/^ {2}(\w+):/gm),
    ([, name]) => name,
  );
  expect(() => readConfig({ environment: Object.fromEntries(secrets.map((name) => [name, 'x'])) })).not.toThrow();
  const compose = read('compose.replicas.yaml');
  const variables = Array.from(compose.matchAll(/^ +(LECTERN_\w+): '?(.*?)'?$/gm), ([, name, value]) => [name, value]);
  const { publish } = readConfig({ environment: Object.fromEntries(variables) });
  expect(compose).toContain(`command: [serve, "${publish!.to}", --name, ${publish!.name}]`);
  expect(compose).toContain(`environment: { LECTERN_IMAGES: ${publish!.images} }`);
});
