/**
 * The request header `X-Lectern-At-Least`: the content has to be at a version, or to equal its source at a point in time.
 */
import type { IncomingMessage } from 'node:http';
import { RequestError, ValidationError } from '../core/errors.ts';
import { preview } from '../core/problems.ts';
import { datetimeOf } from '../model/schema/calendar.ts';
import { errorReply, type Reply } from '../query/reply/reply.ts';
import { isLater } from '../store/content-version.ts';
import { overloadedReply } from './error-replies.ts';

/** Content that a request waits for. Versions are as in the header `X-Lectern-Version`. */
export interface AwaitedContent {
  /** The version that is served. */
  readonly version: string;
  /** The latest version. An earlier one may be pinned. */
  readonly latestVersion: string;
  /** Calls the listener when another version is served. Returns a function that ends the calls. */
  onServed(listener: () => void): () => void;
}

/** When the source of a content was read. */
export interface AwaitedSource {
  /** Null if the content follows no source. Undefined if that is not known yet. */
  readonly freshness: { readonly readAt: number | null } | null | undefined;
  /** Calls the listener when the freshness may be another one. Returns a function that ends the calls. */
  onRead(listener: () => void): () => void;
}

/** Whether a request may be answered, has to wait, or is rejected with a reply. */
export type Verdict = 'reached' | 'awaited' | Reply;

/** What the header of a request demands. */
export interface AtLeast {
  /** Name and value of the header, for errors. */
  readonly text: string;
  verdict(): Verdict;
  /** Calls the listener when the verdict may be another one. Returns a function that ends the calls. */
  listen(listener: () => void): () => void;
}

/** Whether a request reads content and has the header. */
export function hasAtLeast({ method, headers }: IncomingMessage): boolean {
  return headers['x-lectern-at-least'] !== undefined && (method === 'GET' || method === 'HEAD');
}

/** Returns what a request with the header demands of its content. `source` is null if the content follows none. */
export function readAtLeast(
  { headers }: IncomingMessage,
  content: AwaitedContent,
  source: AwaitedSource | null,
): AtLeast {
  const value = String(headers['x-lectern-at-least']);
  const text = `X-Lectern-At-Least: ${preview(value)}`;
  const invalid = (reason: string) => errorReply(new ValidationError(`${text} ${reason}`));
  const time = datetimeOf(value);
  if (time === undefined) {
    const verdict = () => {
      if (!/^\d{1,15}-\d{1,15}$/.test(value)) {
        return invalid('is neither a version, such as 1764352800000-3, nor a time, such as 2026-11-28T18:00:00.000Z');
      }
      if (!isLater(value, content.version)) return 'reached';
      const isKnown = epochOf(value) <= epochOf(content.latestVersion);
      return isKnown ? 'awaited' : overloadedReply(`${text} is of an epoch that this server has not loaded`);
    };
    return { text, verdict: whileServed(verdict), listen: (listener) => content.onServed(listener) };
  }
  const verdict = () => {
    const freshness = source ? source.freshness : null;
    if (freshness === null) return invalid('is a time, and the content follows no source: send a version');
    const readAt = freshness?.readAt ?? Number.NEGATIVE_INFINITY;
    // an earlier version that is pinned does not equal what was read
    return readAt >= time && content.version === content.latestVersion ? 'reached' : 'awaited';
  };
  const listen = (listener: () => void) => {
    const ends = [content.onServed(listener), source!.onRead(listener)];
    return () => ends.forEach((end) => void end());
  };
  return { text, verdict: whileServed(verdict), listen };
}

function epochOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** Lets a preview whose base is gone answer with its own error. */
function whileServed(verdict: () => Verdict): () => Verdict {
  return () => {
    try {
      return verdict();
    } catch (error) {
      if (error instanceof RequestError) return 'reached';
      throw error;
    }
  };
}
