import type { IncomingMessage, ServerResponse } from 'node:http';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { RequestError } from '../base/errors.ts';
import type { RateLimit } from '../config/server.ts';
import { sendError } from '../http/router.ts';
import type { HeaderList } from '../http/send.ts';
import { addressKey, RequestCounts } from './request-counts.ts';

export interface Limiter {
  /** Calls `next` if the caller may go on, and answers with 429 if not. */
  readonly run: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  readonly counts: RequestCounts;
}

export interface LimitedCallers {
  /** What tells a caller with known credentials from others; null for all others. */
  nameOf(request: IncomingMessage): string | null;
  addressOf(request: IncomingMessage): string | undefined;
  headers(request: IncomingMessage): HeaderList;
  /** Told of each request that is refused. */
  refused(request: IncomingMessage): void;
  /** Told at most once in a window that more addresses ask than are counted one by one. */
  crowded(): void;
}

/**
 * Counts requests by token or user where the credentials are known, by address where not: a guessed token counts for
 * the address that guesses. IPv6 addresses count by their network, as one customer has many.
 */
export function createLimiter({ requests, tokenRequests, seconds }: RateLimit, callers: LimitedCallers): Limiter {
  const counts = new RequestCounts(seconds, () => callers.crowded());
  const limiter = rateLimit({
    store: counts,
    windowMs: seconds * 1000,
    limit: (request) => (callers.nameOf(request) === null ? requests : (tokenRequests ?? requests)),
    keyGenerator: (request) => callers.nameOf(request) ?? addressKey + ipKeyGenerator(callers.addressOf(request) ?? ''),
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    handler: (request, response) => {
      const error = new RequestError(429, 'RateLimitError', 'Too many requests, please try again later.');
      sendError(request, response, error, callers.headers(request));
      callers.refused(request);
    },
    // these are about Express's own notion of an address, which is not used here
    validate: false,
  });
  return { run: limiter as unknown as Limiter['run'], counts };
}
