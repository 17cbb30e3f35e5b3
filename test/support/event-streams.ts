import { get, type IncomingMessage } from 'node:http';

/** Readers of `GET /_events`. Their token is `admin`, unless a header names another. */

export interface SentEvent {
  id: string;
  event: string;
  data: { version: string; tags?: string[] };
}

/** A connected reader. */
export interface Stream {
  response: IncomingMessage;
  text: () => string;
  events: () => SentEvent[];
}

const streams: IncomingMessage[] = [];

export function connect(port: number, headers: Record<string, string> = {}, query = ''): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/_events${query}`, agent: false };
    const request = get({ ...options, headers: { Authorization: 'Bearer admin', ...headers } }, (response) => {
      streams.push(response);
      let text = '';
      response.setEncoding('utf8').on('data', (data) => (text += data));
      response.on('error', () => {});
      resolve({ response, text: () => text, events: () => parse(text) });
    });
    request.on('error', reject);
  });
}

/** Ends the streams of a test. */
export function endStreams(): void {
  for (const stream of streams.splice(0)) stream.destroy();
}

/** Returns the events of a stream; comments and ids alone are left out. */
export function parse(text: string): SentEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    return fields.data ? [{ id: fields.id, event: fields.event, data: JSON.parse(fields.data) }] : [];
  });
}
