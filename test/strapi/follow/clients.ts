/** Asks Strapi and Lectern. */
import type { Answer } from '../compare-answers.ts';
import type { Request } from '../queries/query-context.ts';

/** The Authorization header of each caller; undefined for the public. */
export type Authorizations = Readonly<Record<string, string | undefined>>;

export async function ask(server: string, { path, caller, headers }: Request, known: Authorizations): Promise<Answer> {
  const authorization = known[caller];
  const reply = await fetch(server + path, { headers: { ...headers, ...(authorization && { authorization }) } });
  return { status: reply.status, body: parsed(await reply.text()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Strapi refuses an edit: what was drawn does not fit its content. */
export class EditRefused extends Error {}

/** Writes through Strapi's own API, with a full-access token. */
export class StrapiClient {
  readonly #address: string;
  readonly #authorization: string;

  constructor(address: string, authorization: string) {
    this.#address = address;
    this.#authorization = authorization;
  }

  /** Returns the body of the reply. Throws an EditRefused for a status from 400 on. */
  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const isForm = body instanceof FormData;
    const reply = await fetch(this.#address + path, {
      method,
      headers: {
        authorization: this.#authorization,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      body: body === undefined || isForm ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    if (reply.status >= 400) throw new EditRefused(`${method} ${path}: ${reply.status} ${text.slice(0, 300)}`);
    return parsed(text);
  }

  /** Calls an action of the document service, or of the database's rows. */
  async act(uid: string, action: string, parameters: object, database = false): Promise<unknown> {
    return this.send('POST', '/api/editor', { uid, action, parameters, database });
  }
}
