import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { Failure } from './report.ts';
import { type Flags, readSettings } from './settings.ts';

/** A server that takes longer to say that it lives is of no use either. */
const patience = 3000;

/** Asks the server with these settings whether it lives, and throws a Failure if not. */
export async function health({ host, port }: Config): Promise<void> {
  if (port === 0) throw new Failure('the port is 0, which stands for any free one: give the port that was taken');
  const url = `http://${reachable(host)}:${port}/_health`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(patience) }).catch((error: Error) => {
    throw new Failure(`${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (!answer.ok) throw new Failure(`${url} answers with ${answer.status}`);
}

/** The settings of the server that runs as a process: its flags, the environment and the config file. */
export function settingsOfProcess(id: string, serve: Command): Config {
  serve.parseOptions(serveArguments(commandLine(id)));
  return readSettings(serve.opts<Flags>());
}

/** Arguments after `serve`, wherever it is: the first process of a container may be one that starts the server. */
function serveArguments(words: readonly string[]): string[] {
  const at = words.indexOf('serve');
  return at < 0 ? [] : words.slice(at + 1);
}

/** Empty where the system has no such file, or another user may not read it. */
function commandLine(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Where to reach a server that listens on a host: the addresses that stand for all are none to connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
