const { createHmac, randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
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
  #problem = /** @type {string | null} */ (null);
  #takenAt = /** @type {number | null} */ (null);

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

  /** How many posts were taken, the last one when, and what waits. `problem`: why the post in progress is not taken. */
  get status() {
    const posts = this.#sequence - (this.#isSending ? 1 : 0);
    return { problem: this.#problem, takenAt: this.#takenAt, posts, waiting: this.#pending.size };
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
    for (let pause = first; !this.#closing.signal.aborted; pause = Math.min(pause * 2, last)) {
      const problem = await this.#post(body);
      const before = this.#problem;
      this.#problem = problem;
      if (problem === null) {
        this.#takenAt = Date.now();
        if (before !== null) log.info('Lectern takes changes again');
        return;
      }
      if (this.#closing.signal.aborted) return;
      if (problem !== before) log.warn(`Lectern does not take changes: ${problem}. They are sent again until it does`);
      await sleep(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
  }

  /** @param {string} body Returns why a try failed, or null. */
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
}

module.exports = { Sender };
