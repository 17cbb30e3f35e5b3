import { Command } from 'commander';
import { expect, test } from 'vitest';
import { health, settingsOfProcess } from '../../src/cli/health.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { startEmpty, stopServersAfterEach } from '../support/server.ts';

/** `lectern health`, which health checks run. */

stopServersAfterEach();

test.each(['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'])('reaches a server on %s', async (host) => {
  const { port } = await startEmpty({ host });
  await health(configSchema.parse({ host, port }));
});

test('fails without a server and with another server', async () => {
  const { server, port, adminPort } = await startEmpty({ adminPort: 0, prefix: '/x' });
  const config = configSchema.parse({ port });
  await health(configSchema.parse({ port: adminPort }));
  await expect(health(configSchema.parse({ port: 0 }))).rejects.toThrow('the port is 0');
  await server.stop();
  await expect(health(config)).rejects.toThrow(`http://127.0.0.1:${port}/_health does not answer: `);
});

test('fails for a process whose settings cannot be read', () => {
  const settingsOf = (id: string) => () => settingsOfProcess(id, new Command('serve'));
  expect(settingsOf(String(process.pid))).toThrow(`process ${process.pid} does not run "lectern serve"`);
  expect(settingsOf('0')).toThrow('process 0: its command line cannot be read: ENOENT');
});
