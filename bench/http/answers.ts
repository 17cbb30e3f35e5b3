import { get, type IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  status: number;
  /** The content coding of the body, if it has one. */
  coding?: string;
  /** The body without its coding. */
  text: string;
}

/** Requests a path exactly as it is written, which `fetch` does not. */
export function answerOf(
  origin: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer & { headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    get(origin + path, { headers, agent: false }, async (response) => {
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

/** How an answer differs from the expected one: in the status, the coding or the content. Null if it does not. */
export function difference(expected: Answer, answer: Answer): string | null {
  if (answer.status !== expected.status) return `status ${answer.status} instead of ${expected.status}`;
  if (answer.coding !== expected.coding)
    return `content coding ${answer.coding ?? 'none'} instead of ${expected.coding ?? 'none'}`;
  return isDeepStrictEqual(parsed(expected.text), parsed(answer.text)) ? null : 'another content';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
