import { hash, randomBytes } from 'node:crypto';
import { unavailable } from '../../http/error-replies.ts';

/** How long a ticket can be opened, in milliseconds. */
const lifetime = 60_000;

/** How long a ticket is known in all, in milliseconds, so that a late reader learns that it was used or has expired. */
const memory = 600_000;

/** Maximum number of known tickets, of some 200 bytes each. */
const maxTickets = 10_000;

/** Why a ticket does not open. */
export type TicketProblem = 'unknown' | 'used' | 'expired';

/** Where a ticket leads, or why it does not open. */
export type OpenedTicket = { readonly path: string } | { readonly problem: TicketProblem };

interface IssuedTicket {
  /** The id of the entry that it opens. */
  readonly entry: number;
  /** Below the path of the content. */
  readonly path: string;
  /** In milliseconds since 1970. */
  readonly issued: number;
  isUsed: boolean;
}

/**
 * Tickets that open a preview in a browser, each once. Only digests are kept. Lives in the thread of the admin port; the
 * other threads ask it, so that no two of them open the same ticket. Times are in milliseconds since 1970.
 */
export class Tickets {
  /** By digest, in the order of issue. */
  readonly #issued = new Map<string, IssuedTicket>();

  /** Creates a ticket of 256 random bits. Throws a RequestError if too many wait to be opened. */
  issue(entry: number, path: string, now = Date.now()): { readonly ticket: string; readonly expires: number } {
    for (const [digest, { issued }] of this.#issued) {
      if (now - issued < memory) break;
      this.#issued.delete(digest);
    }
    if (this.#issued.size >= maxTickets) this.#forgetOne(now);
    const ticket = randomBytes(32).toString('base64url');
    this.#issued.set(digestOf(ticket), { entry, path, issued: now, isUsed: false });
    return { ticket, expires: now + lifetime };
  }

  /** Uses a ticket for an entry. A ticket of another entry is unknown, and stays unused. */
  open(digest: string, entry: number, now = Date.now()): OpenedTicket {
    const ticket = this.#issued.get(digest);
    if (!ticket || ticket.entry !== entry) return { problem: 'unknown' };
    if (ticket.isUsed) return { problem: 'used' };
    if (now - ticket.issued >= lifetime) return { problem: 'expired' };
    ticket.isUsed = true;
    return { path: ticket.path };
  }

  #forgetOne(now: number): void {
    for (const [digest, { issued, isUsed }] of this.#issued) {
      if (isUsed || now - issued >= lifetime) return void this.#issued.delete(digest);
    }
    throw unavailable(`${maxTickets} tickets wait to be opened: try again in a minute`);
  }
}

/** Opens a ticket by its digest for an entry, as `Tickets.open` does in the thread that keeps them. */
export type OpenTicket = (digest: string, entry: number) => OpenedTicket | Promise<OpenedTicket>;

export function digestOf(ticket: string): string {
  return hash('sha256', ticket, 'base64url');
}
