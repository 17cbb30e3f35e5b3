/** Requests to the API of a CDN. */

/** Milliseconds for all requests of an event. Lectern waits for 10 seconds. */
const patience = 8000;
/** Milliseconds before the next try, if a CDN names no time. */
const pause = 1000;

/** Sends requests one after another. Throws if the CDN does not take one of them in time. */
export async function sendAll(requests: readonly Request[], ask: typeof fetch = fetch): Promise<void> {
  const deadline = Date.now() + patience;
  // a redirected POST would become a GET
  const init: RequestInit = { signal: AbortSignal.timeout(patience), redirect: 'manual' };
  for (const request of requests) {
    let response = await ask(request.clone(), init);
    for (let wait = pauseAfter(response); wait !== null && Date.now() + wait < deadline; wait = pauseAfter(response)) {
      await new Promise((resolve) => setTimeout(resolve, wait!));
      response = await ask(request.clone(), init);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${request.url} is answered with ${response.status}: ${text.slice(0, 500)}`);
  }
}

/** Returns how long a CDN that has had too many requests wants to be left alone, or null. */
function pauseAfter({ status, headers }: Response): number | null {
  if (status !== 429) return null;
  const after = headers.get('Retry-After');
  if (after === null) return pause;
  const seconds = Number(after);
  return Number.isNaN(seconds) ? Math.max(0, Date.parse(after) - Date.now()) || pause : seconds * 1000;
}

/** Returns lists of at most `size` tags. */
export function inLists(tags: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(tags.length / size) }, (_, i) => tags.slice(i * size, (i + 1) * size));
}
