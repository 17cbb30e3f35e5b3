/** Fastly: purges what a change made stale, by the tags in `Surrogate-Key`. */
import { inLists, sendAll } from './purge.ts';
import { type Handler, webhookHandler } from './stale-event.ts';

export interface FastlyOptions {
  /** The id of the service. */
  readonly service: string;
  /** An API token with the scopes purge_select and purge_all. */
  readonly token: string;
  /** Whether replies become stale instead of being removed. Fastly removes them anyway if everything is purged. */
  readonly soft?: boolean;
  /** The address of the API. */
  readonly api?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Maximum keys of one request. */
const keysPerRequest = 256;

/** Purges the replies with one of the tags, or all replies of the service for null. Rejects if Fastly does not take it. */
export async function purgeTags(tags: readonly string[] | null, options: FastlyOptions): Promise<void> {
  const { service, token, soft = false, api = 'https://api.fastly.com' } = options;
  const headers = {
    'Fastly-Key': token,
    Accept: 'application/json',
    'Content-Type': 'application/json',
    ...(soft && tags && { 'Fastly-Soft-Purge': '1' }),
  };
  const post = (action: string, body?: object) =>
    new Request(`${api}/service/${service}/${action}`, { method: 'POST', headers, body: body && JSON.stringify(body) });
  const requests = tags
    ? inLists(tags, keysPerRequest).map((list) => post('purge', { surrogate_keys: list }))
    : [post('purge_all')];
  await sendAll(requests, options.fetch);
}

/** Returns a handler of Lectern's webhook. Its status is 2xx when Fastly has taken all tags. */
export function createPurgeHandler({ secret, ...options }: FastlyOptions & { secret: string | undefined }): Handler {
  return webhookHandler(secret, ({ tags }) => purgeTags(tags, options));
}
