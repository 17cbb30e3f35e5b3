import type { IncomingMessage, ServerResponse } from 'node:http';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { RequestError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import type { HeaderList } from '../../http/send.ts';
import type { RateLimit } from '../../model/settings/server.ts';
import { addressKey, type RateLimitMemory, RateLimitStore } from './rate-limit-store.ts';

export interface Limiter {
  /** Calls `next` if the caller is within its limit. Otherwise answers with 429. */
  readonly limit: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  readonly counts: RateLimitStore;
}

export interface LimitedCallers {
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  nameOf(request: IncomingMessage): string | null;
  addressOf(request: IncomingMessage): string | undefined;
  headers(request: IncomingMessage): HeaderList;
  /** Called for each rejected request. */
  refused(request: IncomingMessage): void;
  /** Called at most once per window if there are more addresses than counters. */
  onSharedCounters(): void;
}

/**
 * Counts requests by token or user if the credentials are known, otherwise by address, so a guessed token counts for
 * the address. IPv6 addresses count by network, because one customer has many.
 */
export function createLimiter(
  { requests, tokenRequests, seconds }: RateLimit,
  counters: RateLimitMemory,
  callers: LimitedCallers,
): Limiter {
  const counts = new RateLimitStore(seconds, () => callers.onSharedCounters(), counters);
  /** Requests of callers with known credentials. Telling them takes a digest. */
  const named = new WeakSet<IncomingMessage>();
  const limiter = rateLimit({
    store: counts,
    windowMs: seconds * 1000,
    // called after `keyGenerator`
    limit: (request) => (named.has(request) ? (tokenRequests ?? requests) : requests),
    keyGenerator: (request) => {
      const name = callers.nameOf(request);
      if (name === null) return addressKey + ipKeyGenerator(callers.addressOf(request) ?? '');
      named.add(request);
      return name;
    },
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    handler: (request, response) => {
      const error = new RequestError(429, 'RateLimitError', 'Too many requests, please try again later.');
      sendError(request, response, error, callers.headers(request));
      callers.refused(request);
    },
    // these checks concern the `request.ip` of Express, which is not used here
    validate: false,
  });
  return { limit: limiter as unknown as Limiter['limit'], counts };
}
