import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StaleEvent } from '../../content/versions/change-feed.ts';
import { backOff, type Pauses } from '../../core/back-off.ts';

const defaultPauses: Pauses = { first: 1000, last: 60_000 };
/** Maximum number of tries to send one event. */
const defaultTries = 8;
/** Time for one try, in milliseconds. */
const timeout = 10_000;
/** Maximum number of waiting events, and of the bytes of their bodies. */
const maximumEvents = 1000;
const maximumBytes = 4 * 2 ** 20;

interface WaitingEvent {
  readonly content: string;
  readonly version: string;
  readonly body: string;
}

export interface WebhookFigures {
  readonly waiting: number;
  readonly sent: number;
  /** Failed tries. */
  readonly failed: number;
}

/** The setting `webhook`. */
interface WebhookSettings {
  readonly url: string;
  readonly secret?: string;
}

/** Resolves when a version of a content may be announced: a receiver that asks again gets it from every replica. */
type Confirmed = (content: string, version: string) => Promise<void>;

interface WebhookParts {
  readonly pauses?: Pauses;
  readonly tries?: number;
  /** Default: at once. */
  readonly confirmed?: Confirmed;
}

/** Sends events to a URL, one after another. No request waits for it. */
export class Webhook {
  readonly #settings: WebhookSettings;
  readonly #log: Logger;
  readonly #confirmed: Confirmed;
  readonly #pauses: Pauses;
  readonly #tries: number;
  readonly #stop = new AbortController();
  #waiting: WaitingEvent[] = [];
  #bytes = 0;
  #isSending = false;
  #sent = 0;
  #failed = 0;

  constructor(
    settings: WebhookSettings,
    log: Logger,
    { pauses = defaultPauses, tries = defaultTries, confirmed = async () => {} }: WebhookParts = {},
  ) {
    this.#settings = settings;
    this.#confirmed = confirmed;
    this.#log = log;
    this.#pauses = pauses;
    this.#tries = tries;
  }

  get figures(): WebhookFigures {
    return { waiting: this.#waiting.length, sent: this.#sent, failed: this.#failed };
  }

  /** Queues an event. If too many events wait, a reset of each content replaces them. */
  send(content: string, { version, tags }: StaleEvent): void {
    this.#add(eventOf(content, version, tags));
    if (this.#waiting.length > maximumEvents || this.#bytes > maximumBytes) this.#resetAll(this.#waiting);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Drops the waiting events. */
  close(): void {
    this.#stop.abort();
  }

  #add(event: WaitingEvent): void {
    this.#waiting.push(event);
    this.#bytes += event.body.length;
  }

  /** Replaces all waiting events by a reset of each content, because the receiver misses some of these events. */
  #resetAll(missed: readonly WaitingEvent[]): void {
    const versions = new Map([...missed, ...this.#waiting].map(({ content, version }) => [content, version]));
    this.#waiting = [];
    this.#bytes = 0;
    for (const [content, version] of versions) this.#add(eventOf(content, version, null));
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0 && !this.#stop.signal.aborted) {
      const [event] = this.#waiting.splice(0, 1);
      this.#bytes -= event.body.length;
      if (await this.#deliver(event)) this.#sent++;
      else if (!this.#stop.signal.aborted) this.#resetAll([event]);
    }
    this.#isSending = false;
  }

  /** Returns false after the last try, or when the server stops. */
  async #deliver({ content, version, body }: WaitingEvent): Promise<boolean> {
    await this.#confirmed(content, version);
    for (let failures = 1; ; failures++) {
      const problem = await this.#post(body);
      if (problem === null) return true;
      if (this.#stop.signal.aborted) return false;
      this.#failed++;
      this.#log.warn({ url: this.#settings.url, problem }, 'the webhook failed');
      if (failures === this.#tries) return false;
      const pause = backOff(failures, this.#pauses);
      await setTimeout(pause, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  /** Returns why a try failed, or null. */
  async #post(body: string): Promise<string | null> {
    const { url, secret } = this.#settings;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (secret !== undefined) {
      headers['X-Lectern-Signature'] = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    }
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeout)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await response.body?.cancel();
      return response.ok ? null : `status ${response.status}`;
    } catch (error) {
      const { cause } = error as Error;
      return cause instanceof Error ? cause.message : String(error);
    }
  }
}

function eventOf(content: string, version: string, tags: readonly string[] | null): WaitingEvent {
  return { content, version, body: JSON.stringify({ content, version, tags }) };
}
