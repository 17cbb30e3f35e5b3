import { closeServers, listen } from '../support/http.ts';

/** What a stand-in of a CDN's API answers, in turn. The last one is repeated. */
export interface Answer {
  readonly status: number;
  readonly retryAfter?: string;
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: any;
  /** When it came, in milliseconds. */
  readonly at: number;
}

export { closeServers };

/** Starts a server in place of the API of a CDN. Returns its address, and what it has received so far. */
export async function startApi(answers: Answer[] = [{ status: 200 }]): Promise<{ api: string; received: Received[] }> {
  const received: Received[] = [];
  const port = await listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, headers, body: text === '' ? null : JSON.parse(text), at: Date.now() });
    const { status, retryAfter } = answers.length > 1 ? answers.shift()! : answers[0];
    const replied = {
      ...(retryAfter && { 'Retry-After': retryAfter }),
      ...(status === 301 && { Location: '/elsewhere' }),
    };
    response.writeHead(status, replied).end('{"success":true}');
  });
  return { api: `http://127.0.0.1:${port}`, received };
}

/** Some tags. */
export function tagsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `api::thing.thing/${i}`);
}
