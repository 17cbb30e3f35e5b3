import type { ClientName, LoadResult } from './client.ts';

/** A server under one kind of load: medians over the rounds. */
export interface HttpRow extends LoadResult {
  server: string;
  load: string;
  /** The smallest and largest requests a second of a round. */
  spread: [number, number];
  /** Processor time of the server for a request, in milliseconds: null where the system does not tell. */
  processor: number | null;
  /** Requests a second over those of the bare server with as many bytes, in the same round; null without one. */
  ratio: number | null;
}

export interface HttpResult {
  entries: number;
  client: ClientName;
  seconds: number;
  rows: HttpRow[];
}
