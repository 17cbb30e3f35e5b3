import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, inject } from 'vitest';
import { sha256 } from '../../support/sha256.ts';
import { type ServingProcess, startProcess } from '../../support/threads.ts';

/** `lectern serve` from dist/, for the tests of one file. */

/** The token of callers with full access, on every server. */
export const fullAccess = 'a-token-with-full-access-0f3c9';

/** Settings that every server has. */
const tokens = [{ name: 'all', sha256: sha256(fullAccess), type: 'full-access' }];

export interface Served {
  /** Such as `http://127.0.0.1:1337`. Empty before the tests begin. */
  origin: string;
  /** Empty without an admin port, too. */
  adminOrigin: string;
}

/** Starts a server of a snapshot. Settings are those of a config file. */
export function startServed(snapshot: string, settings: object = {}, args: string[] = []): Promise<ServingProcess> {
  return startProcess(snapshot, args, { tokens, ...settings });
}

/** Serves a snapshot during the tests of a file. */
export function serve(snapshot: string | (() => string), settings: object = {}, args: string[] = []): Served {
  const served: Served = { origin: '', adminOrigin: '' };
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    const folder = typeof snapshot === 'string' ? snapshot : snapshot();
    const started = await startServed(folder, settings, args);
    child = started.child;
    served.origin = `http://127.0.0.1:${started.port}`;
    if (started.adminPort !== null) served.adminOrigin = `http://127.0.0.1:${started.adminPort}`;
  });
  afterAll(() => child?.kill('SIGKILL'));
  return served;
}

/** The server of hostile content, whose pages may have 200 entries. */
export function serveHostile(): Served {
  return { origin: inject('hostileOrigin'), adminOrigin: '' };
}

/** The server of the demo that all files share, or another one with these settings. */
export function serveDemo(settings?: object): Served {
  return settings ? serve(() => inject('demoImage'), settings) : { origin: inject('demoOrigin'), adminOrigin: '' };
}
