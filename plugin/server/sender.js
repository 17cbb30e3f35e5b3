const { createHmac, randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { PendingChanges } = require('./pending-changes.js');

/** In milliseconds: the time for a try, the pauses between two, and after how long without a change a post says so. */
const defaults = { timeout: 10_000, firstPause: 250, lastPause: 5000, idleTime: 10_000 };

/** @type {(secret: string, text: string) => string} */
const sign = (secret, text) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** Sends changes to Lectern, one post after another. A post that fails is sent again, the same, until it is taken. */
class Sender {
  #options;
  #closing = new AbortController();
  #waking = new AbortController();
  pending = new PendingChanges();
  /** The last post. What is committed from now on comes in later ones. Each process has its own epoch. */
  position = { epoch: randomUUID(), sequence: -1 };
  /** How many posts were taken, and the last one when. `problem`: why the post in progress is not taken. */
  status = { posts: 0, takenAt: /** @type {number | null} */ (null), problem: /** @type {string | null} */ (null) };

  /** @param {{ url: string, secret: string, log: Record<'info' | 'warn', (text: string) => void> } & Partial<typeof defaults>} options */
  constructor(options) {
    this.#options = { ...defaults, ...options };
  }

  /** @type {(uid: string, documentId: string | null) => void} as PendingChanges.add, after a commit */
  add(uid, documentId) {
    this.pending.add(uid, documentId);
    this.#waking.abort();
  }

  /** Sends a first post with what has waited for it, and then what changes, until it is closed. */
  async start() {
    const { idleTime, firstPause, lastPause } = this.#options;
    while (!this.#closing.signal.aborted) {
      this.position.sequence++;
      const body = JSON.stringify({ ...this.position, changes: this.pending.take() });
      let pause = firstPause;
      for (; !(await this.#isTaken(body)); pause = Math.min(pause * 2, lastPause)) await this.#pause(pause);
      this.#waking = new AbortController();
      if (this.pending.size === 0) await this.#pause(idleTime, this.#waking.signal);
    }
  }

  /** Drops what waits: the next start has another epoch. */
  close = () => this.#closing.abort();

  /** Sends a post. Returns whether it was taken, or nobody waits for that any more. */
  async #isTaken(/** @type {string} */ body) {
    const { log } = this.#options;
    const { posts, takenAt, problem: before } = this.status;
    const problem = await this.#post(body);
    if (this.#closing.signal.aborted) return true;
    const isTaken = problem === null;
    this.status = isTaken ? { posts: posts + 1, takenAt: Date.now(), problem } : { posts, takenAt, problem };
    if (isTaken && before !== null) log.info('Lectern takes changes again');
    if (!isTaken && problem !== before) log.warn(`Lectern does not take changes: ${problem}. They are sent again`);
    return isTaken;
  }

  /** Returns why a try failed, or null. */
  async #post(/** @type {string} */ body) {
    const { url, secret, timeout } = this.#options;
    const headers = { 'Content-Type': 'application/json', 'X-Lectern-Signature': sign(secret, body) };
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

  #pause(/** @type {number} */ time, signal = this.#closing.signal) {
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    return sleep(time, undefined, { signal: ending, ref: false }).catch(() => {});
  }
}

module.exports = { Sender, sign };
