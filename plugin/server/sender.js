const { createHmac, randomUUID } = require('node:crypto');
const { PendingChanges } = require('./pending-changes.js');

/** In milliseconds: the pauses between two tries, and the time for one. */
const pauses = { first: 250, last: 5000 };
const timeout = 10_000;
/** After this time without a change, a post says that there was none. In milliseconds. */
const idleTime = 10_000;

/**
 * @typedef {object} SenderOptions
 * @property {string} url of Lectern's hook
 * @property {string} secret the key of the signatures
 * @property {{ info(message: string): void, warn(message: string): void }} log
 * @property {typeof pauses} [pauses] for tests
 * @property {number} [idleTime] for tests
 */

/**
 * Sends changes to Lectern, one post after another. A post that fails is sent again, the same, until it is taken.
 * Changes that come meanwhile wait for the next one.
 */
class Sender {
  /** @type {SenderOptions} */
  #options;
  #pending = new PendingChanges();
  /** A process has its own. Lectern compares everything when it meets a new one. */
  #epoch = randomUUID();
  #sequence = 0;
  #isSending = false;
  #isStarted = false;
  #closing = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  #idle;

  /** @param {SenderOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Sends a first post without changes, and then what has waited for it. */
  start() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#sendAll(true);
  }

  /**
   * Queues a committed change. Never throws.
   * @param {string} uid
   * @param {string | null} documentId as in PendingChanges.add
   */
  add(uid, documentId) {
    this.#pending.add(uid, documentId);
    if (this.#isStarted) void this.#sendAll(false);
  }

  /** Drops what waits: the next start has another epoch. */
  close() {
    clearTimeout(this.#idle);
    this.#closing.abort();
  }

  /** @param {boolean} isFirst whether a post is sent even without changes */
  async #sendAll(isFirst) {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#idle);
    let isDue = isFirst;
    while ((isDue || !this.#pending.isEmpty) && !this.#closing.signal.aborted) {
      isDue = false;
      await this.#deliver({ epoch: this.#epoch, sequence: this.#sequence++, changes: this.#pending.take() });
    }
    this.#isSending = false;
    if (this.#closing.signal.aborted) return;
    this.#idle = setTimeout(() => void this.#sendAll(true), this.#options.idleTime ?? idleTime).unref();
  }

  /** @param {object} post */
  async #deliver(post) {
    const { log, pauses: { first, last } = pauses } = this.#options;
    const body = JSON.stringify(post);
    let reported = '';
    for (let pause = first; !this.#closing.signal.aborted; pause = Math.min(pause * 2, last)) {
      const problem = await this.#post(body);
      if (problem === null) {
        if (reported !== '') log.info('Lectern takes changes again');
        return;
      }
      if (this.#closing.signal.aborted) return;
      if (problem !== reported)
        log.warn(`Lectern does not take changes: ${problem}. They are sent again until it does`);
      reported = problem;
      await this.#wait(pause);
    }
  }

  /**
   * Returns why a try failed, or null.
   * @param {string} body
   */
  async #post(body) {
    const { url, secret } = this.#options;
    const headers = {
      'Content-Type': 'application/json',
      'X-Lectern-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    };
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await response.body?.cancel();
      return response.ok ? null : `status ${response.status}`;
    } catch (error) {
      const { cause, message } = /** @type {Error} */ (error);
      return cause instanceof Error ? cause.message : message;
    }
  }

  /** @param {number} milliseconds */
  #wait(milliseconds) {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve(undefined);
      };
      const timer = setTimeout(end, milliseconds);
      timer.unref();
      signal.addEventListener('abort', end);
    });
  }
}

module.exports = { Sender };
