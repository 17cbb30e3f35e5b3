import { inOwnProcess } from '../task.ts';
import { loadWithAutocannon } from './autocannon.ts';
import { loadAtFixedRate } from './fixed-rate.ts';
import { loadWithWrk } from './wrk.ts';

/** Programs that send as many requests as a server can answer. */
export const clientNames = ['autocannon', 'wrk'] as const;
export type ClientName = (typeof clientNames)[number];

/** Connections of a client that sends as many requests as it can. */
export const connections = 32;

export interface LoadTask {
  client: ClientName | 'fixed rate';
  origin: string;
  /** Requested in this order, starting with the index `first` and wrapping around. */
  paths: string[];
  first: number;
  seconds: number;
  headers?: Record<string, string>;
  /** Requests a second. Only the client `fixed rate` uses it. */
  rate?: number;
}

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  /** Latencies, in milliseconds. */
  p50: number;
  p99: number;
  max: number;
  bytesPerReply: number;
  /** Replies with another status than 2xx, broken connections and timeouts. */
  errors: number;
  /** Requests without a reply when the client stopped waiting. Only with a fixed rate. */
  unanswered?: number;
  /** 99th percentile of how late the client itself was, in milliseconds. Only with a fixed rate. */
  lateMilliseconds?: number;
}

const loads = { autocannon: loadWithAutocannon, wrk: loadWithWrk, 'fixed rate': loadAtFixedRate };

/** Loads a server from this process. */
export function loadHere(task: LoadTask): Promise<LoadResult> {
  return loads[task.client](task);
}

/** Loads a server from a process of its own, whose one thread leaves the other cores to the server. */
export function load(task: LoadTask): Promise<LoadResult> {
  return inOwnProcess<LoadResult>('./http/load-main.ts', task);
}
