/** Content that echoes requests, for tests without an engine. */
import type { RoutedContent } from '../../src/http/content-handler.ts';
import { askServer } from '../support/http.ts';

/** Sends a request. Returns the reply with its body as text. */
export async function ask(port: number, path: string, method = 'GET', headers: Record<string, string> = {}) {
  const answer = await askServer(port, path, { method, headers });
  return { ...answer, body: answer.body.toString() };
}

/** Echoes the request. */
export const echo: RoutedContent = {
  version: '1-0',
  latestVersion: '1-0',
  onServed: () => () => {},
  hasRoute: (path) => !path.includes('unknown'),
  answerPath: (path, options) => ({
    status: 200,
    headers: { 'X-From': 'engine' },
    body: Buffer.from(JSON.stringify({ path, ...options })),
  }),
};

/** Throws an unexpected error, whose message no reply may contain. */
export function throwSecret(): never {
  throw new Error('the secret of the house');
}
