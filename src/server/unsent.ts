import type { ServerResponse } from 'node:http';

/** Smaller bodies are not counted: connections are bounded, and so are these. */
const countedBytes = 16 * 1024;

/**
 * The bytes of large replies that are being sent. A slow client holds its reply's body in memory; this bounds what all
 * of them hold together. A body that several take is counted once.
 */
export class UnsentReplies {
  readonly #most: number;
  readonly #takers = new Map<Buffer, number>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body until its response is closed. False, and not counted, if there is no room for it. */
  take(body: Buffer, response: ServerResponse): boolean {
    if (body.length < countedBytes) return true;
    const takers = this.#takers.get(body) ?? 0;
    if (takers === 0) {
      // one reply is always let through: how large it may be is another limit
      if (this.#bytes > 0 && this.#bytes + body.length > this.#most) return false;
      this.#bytes += body.length;
    }
    this.#takers.set(body, takers + 1);
    response.once('close', () => this.#release(body));
    return true;
  }

  #release(body: Buffer): void {
    const takers = this.#takers.get(body)! - 1;
    if (takers > 0) return void this.#takers.set(body, takers);
    this.#takers.delete(body);
    this.#bytes -= body.length;
  }
}
