import type { ClientName, LoadResult } from './loads.ts';

/** One turn of one server under one load. */
export interface Round extends LoadResult {
  /**
   * Processor time of all threads of the server for a request: in user mode, and with that of the system. Null for a
   * service that was running already.
   */
  userMilliseconds: number | null;
  processorMilliseconds: number | null;
}

/** A server under one kind of load. */
export interface HttpRow {
  server: string;
  load: string;
  /** Different URLs that are requested, different bodies among the replies, and the bytes of the replies together. */
  urls: number;
  answers?: number;
  bytes?: number;
  rounds: Round[];
  /** The ratios of the other rows are over the costs of this one. */
  isReference: boolean;
}

export interface HttpResult {
  content: string;
  entries: number;
  client: ClientName;
  seconds: number;
  rows: HttpRow[];
  /** Servers that answer otherwise than Lectern and are not measured. */
  wrong: { server: string; load: string; path: string; difference: string }[];
}
