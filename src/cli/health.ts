import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../model/settings/config.ts';
import type { Flags } from './flags.ts';
import { Failure } from './report.ts';
import { readSettings } from './settings.ts';

/** Timeout of the health check, in milliseconds. */
const timeout = 3000;

/** Requests the health check of the server with these settings. Throws a Failure if it fails. */
export async function health({ host, port }: Config): Promise<void> {
  if (port === 0) throw new Failure('the port is 0, which selects any free port: give the actual port with --port');
  const url = `http://${connectableHost(host)}:${port}/_health`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeout) }).catch((error: Error) => {
    throw new Failure(`${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (!answer.ok) throw new Failure(`${url} answers with ${answer.status}`);
}

/**
 * Returns the settings of a running server process, from its flags, the environment and the config file. Throws a
 * Failure if the process has no readable command line with `serve`.
 */
export function settingsOfProcess(id: string, serve: Command): Config {
  serve.parseOptions(serveArguments(id, commandLine(id)));
  return readSettings(serve.opts<Flags>()).config;
}

/** Returns the arguments after `serve`. The first process of a container may be a wrapper with words before it. */
function serveArguments(id: string, words: readonly string[]): string[] {
  const at = words.indexOf('serve');
  if (at < 0) throw new Failure(`process ${id} does not run "lectern serve": give its settings as flags instead`);
  return words.slice(at + 1);
}

function commandLine(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch (error) {
    throw new Failure(`process ${id}: its command line cannot be read: ${(error as Error).message}`);
  }
}

/** Returns the host to connect to. Replaces the unspecified addresses by loopback addresses. */
function connectableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
