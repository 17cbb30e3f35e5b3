/** Requests of commands to the admin port of a running server. */
import { Failure } from './report.ts';

/** Timeout of a request, in milliseconds. A change waits for the changes and the reload in progress. */
const timeout = 60_000;

/** The environment variable with the token for the admin port. */
export const tokenVariable = 'LECTERN_ADMIN_TOKEN';

export interface AdminRequest {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reply of a server, of any status. */
export interface AdminReply {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /** Null for a text that is no JSON. */
  readonly json: unknown;
  /** The failure of a command that the reply ends. */
  failure(): Failure;
}

/** Returns the token of the environment. Throws a Failure without one. `rights` are those that it needs. */
export function adminToken(environment: NodeJS.ProcessEnv, ...rights: string[]): string {
  const token = environment[tokenVariable];
  if (token) return token;
  const named = rights.map((right) => `"${right}"`).join(' and ');
  throw new Failure(
    `set ${tokenVariable} to a token of admin.tokens that has the ${rights.length > 1 ? 'rights' : 'right'} ${named}`,
  );
}

/** Sends a request to the admin port at `url`. Throws a Failure if nothing answers. */
export async function askAdminPort(
  url: string,
  token: string,
  { method, path, body, headers }: AdminRequest,
): Promise<AdminReply> {
  const address = new URL(`${url.replace(/\/+$/, '')}${path}`);
  const answer = await fetch(address, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  }).catch((error: Error) => {
    throw new Failure(`${address} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  const text = await answer.text();
  const json = parsed(text);
  const reason = (json as { error?: { message?: string } } | null)?.error?.message ?? 'it is no admin port';
  const failure = () => new Failure(`${address} answers with ${answer.status}: ${reason}`);
  return { ok: answer.ok, status: answer.status, text, json, failure };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
