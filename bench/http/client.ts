/** What loads a server, what it is told, and what it finds. */

export const clientNames = ['autocannon', 'wrk'] as const;
export type ClientName = (typeof clientNames)[number];

export const connections = 32;

export interface LoadTask {
  client: ClientName;
  origin: string;
  /** What to ask for, in turn, and with which of them to begin. */
  paths: string[];
  first: number;
  seconds: number;
}

export interface LoadResult {
  requestsPerSecond: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  bytesPerReply: number;
  requests: number;
  /** Replies with another status than 2xx, broken connections and timeouts. */
  errors: number;
}
