import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';
import { sha256 } from '../../support/sha256.ts';
import { startProcess } from '../../support/threads.ts';

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

/** Serves a snapshot during the tests of a file. Settings are those of a config file. */
export function serve(snapshot: string | (() => string), settings: object = {}, args: string[] = []): Served {
  const served: Served = { origin: '', adminOrigin: '' };
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    const folder = typeof snapshot === 'string' ? snapshot : snapshot();
    const started = await startProcess(folder, args, { tokens, ...settings });
    child = started.child;
    served.origin = `http://127.0.0.1:${started.port}`;
    if (started.adminPort !== null) served.adminOrigin = `http://127.0.0.1:${started.adminPort}`;
  });
  afterAll(() => child?.kill('SIGKILL'));
  return served;
}

/** Serves the demo. */
export function serveDemo(settings: object = {}, args: string[] = []): Served {
  return serve('data/demo', settings, args);
}
