// `lectern serve URL --follow` at a start at which the Strapi cannot be read.
import { afterEach, expect, test } from 'vitest';
import { SimulatedStrapi } from '../source/rest/refresh/simulated-strapi.ts';
import { ServedStrapi } from '../source/rest/served-strapi.ts';
import { Random } from '../strapi/random.ts';
import { freePort } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { askServer } from '../support/http.ts';
import { until } from '../support/server.ts';
import { endProcessesAfterEach, spawnProcess, startProcess } from '../support/threads.ts';

endProcessesAfterEach();

const served: ServedStrapi[] = [];
afterEach(async () => {
  for (const strapi of served.splice(0)) await strapi.close();
});

async function startStrapi(port = 0): Promise<ServedStrapi> {
  const strapi = await ServedStrapi.start(new SimulatedStrapi(new Random(1), 3), port);
  served.push(strapi);
  return strapi;
}

async function follow(url: string, startSeconds: number, ...args: string[]) {
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--admin-port', String(adminPort)];
  const serving = spawnProcess(url, ['--follow', '--token', 'reader', ...ports, ...args], { follow: { startSeconds } });
  const ready = async () => {
    const { status, body } = await askServer(adminPort, '/_ready').catch(() => ({ status: 0, body: '' }));
    return { status, text: String(body) };
  };
  return { ...serving, ready };
}

test.each([[], ['--cache']])('a Strapi that is down is waited for, and /_ready says why: %s', async (...flags) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { ready, lines } = await follow(url, 600, ...flags.flatMap((flag) => [flag, temporaryFolder()]));
  await until(async () => (await ready()).text.includes('nothing listens there'));
  const { status, text } = await ready();
  expect([status, JSON.parse(text).error.message]).toEqual([
    503,
    expect.stringMatching(
      `^The snapshot is being loaded, but its source cannot be read yet: ${url}/api/.* cannot be read`,
    ),
  ]);
  await startStrapi(port);
  await until(async () => (await ready()).status === 200);
  const { sources } = JSON.parse((await ready()).text);
  expect(sources).toMatchObject([{ source: url, failuresInARow: 0 }]);
  const waits = lines.filter(({ msg }) => /^the start waits up to 600 s/.test(msg));
  expect(waits).toHaveLength(1);
});

test('a Strapi that stays down ends the process after follow.startSeconds', async () => {
  const { exit, lines } = await follow(`http://127.0.0.1:${await freePort()}`, 1);
  expect(await exit).toEqual([1, null]);
  expect(lines.at(-1)).toMatchObject({
    level: 60,
    msg: expect.stringMatching(/nothing listens there\. The start waited 1 s for it \(follow\.startSeconds\)$/),
  });
});

test('a Strapi that rejects the token ends the process at once', async () => {
  const strapi = await startStrapi();
  const { exit, lines } = await follow(strapi.source().url, 600, '--token', 'other');
  expect(await exit).toEqual([1, null]);
  expect(lines.at(-1)!.msg).toContain('Strapi rejects the token (401');
});

test('a stop ends the wait', async () => {
  const { exit, ready, child } = await follow(`http://127.0.0.1:${await freePort()}`, 600);
  await until(async () => (await ready()).text.includes('nothing listens there'));
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('a Strapi that is not followed is read at the start and again after SIGHUP', async () => {
  const strapi = await startStrapi();
  const { line, child } = await startProcess(strapi.source().url, ['--no-follow', '--token', 'reader']);
  child.kill('SIGHUP');
  await line(({ msg }) => msg === 'the content has not changed');
});
