import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { messageOf } from '../core/errors.ts';
import type { OpenedPublication } from './open-publication.ts';
import type { Member } from './publication.ts';

/** In milliseconds, but `expiry`, which is in seconds. */
const times = { renewal: 5000, betweenVersions: 100, expiry: 15 };

/** Says to the other members, and to `lectern status`, that this one is there and what it serves. Nobody's safety needs it. */
export class Membership {
  readonly #open: () => Promise<OpenedPublication>;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #member: Member;
  #opened: OpenedPublication | null = null;
  #renewing: Promise<void> | null = null;
  #soon: NodeJS.Timeout | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #problem: string | null = null;
  #isClosed = false;

  /** Opens the publication when it is first needed, and again after a failure. */
  constructor(role: Member['role'], open: () => Promise<OpenedPublication>, log: Logger) {
    const name = `${hostname()} ${process.pid}`;
    this.#member = { id: randomUUID(), role, name, version: null, startedAt: Date.now() };
    this.#open = open;
    this.#log = log;
    this.#timer = setInterval(() => this.#renew(), times.renewal).unref();
    this.#renew();
  }

  get id(): string {
    return this.#member.id;
  }

  /** All threads serve this version. */
  serves(version: string): void {
    if (version === this.#member.version || this.#isClosed) return;
    this.#member = { ...this.#member, version };
    if (this.#soon) return;
    const wait = Math.max(0, this.#renewedAt + times.betweenVersions - performance.now());
    this.#soon = setTimeout(() => {
      this.#soon = null;
      this.#renew();
    }, wait).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#soon) clearTimeout(this.#soon);
    await this.#renewing;
    await this.#opened?.presence.leave(this.#member.id).catch(() => {});
    await this.#opened?.close().catch(() => {});
  }

  #renew(): void {
    if (this.#isClosed || this.#renewing) return;
    this.#renewedAt = performance.now();
    const renewed = this.#member;
    this.#renewing = this.#renewNow(renewed).finally(() => {
      this.#renewing = null;
      // another version came meanwhile
      if (this.#member !== renewed) this.#renew();
    });
  }

  async #renewNow(member: Member): Promise<void> {
    try {
      this.#opened ??= await this.#open();
      await this.#opened.presence.renew(member, times.expiry);
      this.#problem = null;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#problem) this.#log.warn(`the publication does not know of this process: ${problem}`);
      this.#problem = problem;
    }
  }
}
