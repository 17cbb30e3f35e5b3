import type { ServerResponse } from 'node:http';

/** Maximum bytes that wait for a reader. One that falls behind further is disconnected, and resumes. */
const maximumUnsent = 8 * 2 ** 20;

/** Returns an event in the format of server-sent events. `data` holds no line break. */
export function eventText(name: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A connected reader of server-sent events. */
export class EventReader {
  readonly #response: ServerResponse;

  /** Begins the reply. */
  constructor(response: ServerResponse) {
    this.#response = response;
    // nginx would wait for more
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  send(text: string): void {
    this.#response.write(text);
    if (this.#response.writableLength > maximumUnsent) this.#response.destroy();
  }

  end(): void {
    this.#response.end();
  }
}
