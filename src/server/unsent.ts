import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Smaller bodies are not counted: connections are bounded, and so are these. */
const countedBytes = 16 * 1024;

/**
 * The bytes of large replies that are being sent. A slow client holds its reply's body in memory; this bounds what all
 * of them hold together. A body that several take is counted once.
 */
export class UnsentReplies {
  readonly #most: number;
  readonly #takers = new Map<Buffer, number>();
  /** What is still to be released when a connection ends: responses that wait behind others are never closed. */
  readonly #releases = new WeakMap<Socket, Set<() => void>>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body until its response or connection is closed. False, and not counted, if there is no room for it. */
  take(body: Buffer, response: ServerResponse): boolean {
    const { socket } = response.req;
    if (body.length < countedBytes || socket.destroyed) return true;
    const takers = this.#takers.get(body) ?? 0;
    if (takers === 0) {
      // one reply is always let through: how large it may be is another limit
      if (this.#bytes > 0 && this.#bytes + heldBy(body) > this.#most) return false;
      this.#bytes += heldBy(body);
    }
    this.#takers.set(body, takers + 1);
    const releases = this.#releasesOf(socket);
    const release = () => {
      if (releases.delete(release)) this.#release(body);
    };
    releases.add(release);
    response.once('close', release);
    return true;
  }

  #releasesOf(socket: Socket): Set<() => void> {
    let releases = this.#releases.get(socket);
    if (!releases) {
      const all = new Set<() => void>();
      this.#releases.set(socket, all);
      socket.once('close', () => {
        for (const release of all) release();
      });
      releases = all;
    }
    return releases;
  }

  #release(body: Buffer): void {
    const takers = this.#takers.get(body)! - 1;
    if (takers > 0) return void this.#takers.set(body, takers);
    this.#takers.delete(body);
    this.#bytes -= heldBy(body);
  }
}

/** The memory of a body: its room is larger than itself. */
function heldBy(body: Buffer): number {
  return body.buffer.byteLength;
}
