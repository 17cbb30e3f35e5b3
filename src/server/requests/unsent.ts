import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Smaller bodies are not counted. The limit on connections bounds their total. */
const minCountedBytes = 16 * 1024;

/**
 * Limits the total size of large replies that are being sent, because a slow client keeps its reply in memory. Counts a
 * body once if several responses send it. Counts bodies before compression, so compressed replies hold less than that.
 */
export class UnsentReplies {
  readonly #maxBytes: number;
  readonly #recipients = new Map<Buffer, number>();
  /** Releases pending per connection. Pipelined responses that wait for others never emit 'close'. */
  readonly #releases = new WeakMap<Socket, Set<() => void>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body until its response or connection closes. Returns false if the body would exceed the limit. */
  take(body: Buffer, response: ServerResponse): boolean {
    const { socket } = response.req;
    if (body.length < minCountedBytes || socket.destroyed) return true;
    const recipients = this.#recipients.get(body) ?? 0;
    if (recipients === 0) {
      // a single reply is always accepted, because another limit bounds its size
      if (this.#bytes > 0 && this.#bytes + bufferBytes(body) > this.#maxBytes) return false;
      this.#bytes += bufferBytes(body);
    }
    this.#recipients.set(body, recipients + 1);
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
    const recipients = this.#recipients.get(body)! - 1;
    if (recipients > 0) return void this.#recipients.set(body, recipients);
    this.#recipients.delete(body);
    this.#bytes -= bufferBytes(body);
  }
}

/** Returns the size of the whole buffer behind a body, which can be larger than the body. */
function bufferBytes(body: Buffer): number {
  return body.buffer.byteLength;
}
