import type { PinAnswer } from '../server/admin/pin-routes.ts';
import { adminToken, askAdminPort } from './admin-port.ts';
import { counted, table } from './report.ts';

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
  const token = adminToken(environment, 'pin');
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
  const query = content === undefined ? '' : `?content=${encodeURIComponent(content)}`;
  const body = version === undefined ? undefined : { version };
  const reply = await askAdminPort(url, token, { method, path: `/_pin${query}`, body });
  const answer = reply.json as PinAnswer | null;
  if (reply.ok && answer?.versions) return answer;
  throw reply.failure();
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
