/** `lectern serve` over a copy of the demo, with the settings of the page. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtCli } from '../../bench/program.ts';
import { project } from '../documents/pages.ts';
import { type Running, start } from '../strapi/processes.ts';
import { freePort } from '../support/cli.ts';

export interface Entry {
  readonly documentId: string;
  readonly [attribute: string]: any;
}

export type Change = { upsert: string; entry: object } | { delete: string; documentId: string };

interface Ports {
  readonly port: number;
  readonly adminPort: number;
}

const token = 'admin';

/** A PNG of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

export class Lectern {
  readonly #folder: string;
  readonly #config: string;
  readonly #ports: Ports;
  readonly secret: string;
  #running: Running | null = null;

  private constructor(folder: string, settings: { webhook: { secret: string } }, ports: Ports) {
    this.#folder = folder;
    this.#config = join(folder, 'lectern.json');
    this.#ports = ports;
    this.secret = settings.webhook.secret;
    const sha256 = createHash('sha256').update(token).digest('hex');
    const admin = { tokens: [{ name: 'editor', sha256, rights: ['changes', 'reload'] }] };
    writeFileSync(this.#config, JSON.stringify({ ...settings, ...ports, admin }));
  }

  /** `settings` are those of the page. The webhook leads to `url`. */
  static async create(folder: string, settings: { webhook: { secret: string } }, url: string): Promise<Lectern> {
    mkdirSync(folder, { recursive: true });
    cpSync(join(project, 'data/demo'), join(folder, 'demo'), { recursive: true });
    const webhook = { ...settings.webhook, url };
    return new Lectern(folder, { ...settings, webhook }, { port: await freePort(), adminPort: await freePort() });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#ports.port}`;
  }

  get #admin(): string {
    return `http://127.0.0.1:${this.#ports.adminPort}`;
  }

  async start(): Promise<void> {
    const args = [builtCli, 'serve', join(this.#folder, 'demo'), '--config', this.#config];
    const log = join(this.#folder, 'lectern.log');
    this.#running = start({ program: process.execPath, args, cwd: this.#folder, log });
    await this.#running.ready(async () => (await fetch(`${this.#admin}/_ready`)).ok);
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** The entries of a type in the snapshot. */
  entries(type: string): Entry[] {
    return JSON.parse(readFileSync(join(this.#folder, `demo/entries/${type}.json`), 'utf8'));
  }

  /** Adds an uploaded picture. */
  addPicture(url: string): void {
    mkdirSync(join(this.#folder, 'demo/uploads'), { recursive: true });
    writeFileSync(join(this.#folder, 'demo', url), Buffer.from(picture, 'base64'));
  }

  /** Makes changes, and waits until the webhook has taken the event. Returns the milliseconds of both. */
  async change(changes: readonly Change[]): Promise<number> {
    return this.#andSent('/_changes', JSON.stringify({ changes }));
  }

  /** Loads the snapshot again, without the changes. */
  async reload(): Promise<number> {
    return this.#andSent('/_reload', null);
  }

  /** Waits until the webhook has taken the first event after a start. */
  async untilSent(count = 1): Promise<void> {
    for (const deadline = Date.now() + 120_000; (await this.#sent()) < count; await sleep(10)) {
      if (Date.now() > deadline) throw new Error('The webhook took no event');
    }
  }

  /** Makes changes. The webhook is not waited for. */
  changeUntold(changes: readonly Change[]): Promise<void> {
    return this.#post('/_changes', JSON.stringify({ changes }));
  }

  async #post(path: string, body: string | null): Promise<void> {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
    const response = await fetch(this.#admin + path, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  async #andSent(path: string, body: string | null): Promise<number> {
    const before = await this.#sent();
    const started = Date.now();
    await this.#post(path, body);
    await this.untilSent(before + 1);
    return Date.now() - started;
  }

  async #sent(): Promise<number> {
    const text = await (await fetch(`${this.#admin}/_metrics`)).text();
    return Number(/^lectern_webhook_sent_total (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}
