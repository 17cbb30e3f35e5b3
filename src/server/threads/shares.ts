import type { Config } from '../../model/settings/config.ts';

/**
 * Returns the settings of one of several threads: its share of what a process may hold. Limits of one request, of one
 * connection and of time stay the same. The rate limit counts over all threads.
 */
export function shareOf(config: Config, threads: number): Config {
  const share = (limit: number) => Math.max(1, Math.floor(limit / threads));
  const { connections, contents, queue } = config;
  return {
    ...config,
    cacheBytes: Math.floor(config.cacheBytes / threads),
    derivedBytes: share(config.derivedBytes),
    preparedBytes: share(config.preparedBytes),
    contents: { ...contents, previewBytes: share(contents.previewBytes) },
    connections: { ...connections, most: share(connections.most), unsentBytes: share(connections.unsentBytes) },
    queue: { ...queue, requests: share(queue.requests), bytes: share(queue.bytes) },
  };
}
