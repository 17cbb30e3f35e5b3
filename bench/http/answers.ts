import { get, type IncomingHttpHeaders } from 'node:http';
import { get as getSecurely } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  status: number;
  /** The content coding of the body, if it has one. */
  coding?: string;
  headers: IncomingHttpHeaders;
  /** The body without its coding. */
  text: string;
}

/** Requests a path exactly as it is written. `fetch` and `URL` would normalise it. */
export function answerOf(origin: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const options = { ...urlToHttpOptions(new URL(origin)), path, headers, agent: false as const };
  const request = options.protocol === 'https:' ? getSecurely : get;
  return new Promise((resolve, reject) => {
    request(options, async (response) => {
      try {
        const body = Buffer.concat(await response.toArray());
        const coding = response.headers['content-encoding'];
        const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body;
        resolve({ status: response.statusCode!, headers: response.headers, coding, text: plain.toString() });
      } catch (error) {
        reject(error);
      }
    }).on('error', reject);
  });
}
