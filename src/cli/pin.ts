import type { PinAnswer } from '../server/admin/pin-routes.ts';
import { counted, Failure, table } from './report.ts';

/** Timeout of a request, in milliseconds. A pin waits for the changes and the reload in progress. */
const timeout = 60_000;

/** The environment variable with the token for the admin port. */
export const tokenVariable = 'LECTERN_ADMIN_TOKEN';

export interface PinFlags {
  /** The address of the admin port. */
  readonly url: string;
  readonly content?: string;
}

/**
 * Pins a running server to a version, or releases the pin if the version is `latest`. Without a version, prints the
 * versions that can be pinned. Throws a Failure if the server refuses or does not answer.
 */
export async function pin(version: string | undefined, flags: PinFlags, environment = process.env): Promise<void> {
  const token = environment[tokenVariable];
  if (!token) throw new Failure(`set ${tokenVariable} to a token of admin.tokens that has the right "pin"`);
  if (version === undefined) return print(await ask('GET', flags, token));
  if (version === 'latest') {
    const { version: served } = await ask('DELETE', flags, token);
    return console.log(`The latest version is served: ${served}.`);
  }
  const { version: served, latest } = await ask('PUT', flags, token, version);
  const meanwhile = latest === served ? 'It is the latest one.' : `The latest one is ${latest}.`;
  console.log(`Serving is pinned to ${served}. ${meanwhile} "lectern pin latest" ends that.`);
}

async function ask(method: string, { url, content }: PinFlags, token: string, version?: string): Promise<PinAnswer> {
  const address = new URL(`${url.replace(/\/+$/, '')}/_pin`);
  if (content !== undefined) address.searchParams.set('content', content);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = version === undefined ? undefined : JSON.stringify({ version });
  const signal = AbortSignal.timeout(timeout);
  const answer = await fetch(address, { method, headers, body, signal }).catch((error: Error) => {
    throw new Failure(`${address} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  const json = (await answer.json().catch(() => null)) as (PinAnswer & { error?: { message?: string } }) | null;
  if (answer.ok && json?.versions) return json;
  throw new Failure(`${address} answers with ${answer.status}: ${json?.error?.message ?? 'it is no admin port'}`);
}

function print({ version: served, latest, pinnedSince, versions }: PinAnswer): void {
  const state = pinnedSince === null ? 'the latest version' : `pinned since ${pinnedSince}, the latest is ${latest}`;
  console.log(`${served} is served (${state}). Versions that can be pinned:\n`);
  const rows = versions.map(({ version, madeAt, changed }) => [
    version,
    madeAt,
    changed === null ? 'loaded' : `${counted(changed, 'entry', 'entries')} changed`,
    version === served ? 'served' : '',
  ]);
  console.log(table(rows, []));
}
