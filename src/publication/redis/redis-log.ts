import { createHash } from 'node:crypto';
import { runInTurns } from '../../core/steps.ts';
import { writeJsonInSteps } from '../../core/write-json.ts';
import { ChangeList, maxReadBytes } from '../change-list.ts';
import { checkAppend, nameOf } from '../check-append.ts';
import {
  type Head,
  PublicationError,
  type PublicationLog,
  type PublishedChange,
  type PublishedState,
  type ReadLog,
  type Refused,
  type WaitOptions,
} from '../publication.ts';
import { isSameState } from '../states.ts';
import { toChange } from '../stored-records.ts';
import { appendScript } from './append-script.ts';
import type { RedisConnection } from './connection.ts';
import type { Keys } from './keys.ts';
import { maxEntryBytes, type PartList, readParts, removeParts, writeParts } from './large-changes.ts';
import { headCommands, readStoredHead, type StoredHead, toHeadFields } from './stored-head.ts';

const scriptSha1 = sha1(appendScript);

/** Among the arguments of the script. */
const validHeadIndex = 9;
/** Bytes of changes in one append that are not in lists. */
const maxAppendBytes = 8 * 2 ** 20;
/** Entries that one command returns: half the bytes of a read, if all are as large as they may be. */
const entriesPerCommand = maxReadBytes / 2 / maxEntryBytes;
/** Milliseconds that the server waits at a time. A call that was given up holds the connection no longer. */
const maxBlock = 1_000;
/** Levels of a batch that are written in steps. */
const stepDepth = 4;

/** A head and a log on a Redis or Valkey. */
export class RedisLog implements PublicationLog {
  readonly #keys: Keys;
  /** For everything that does not wait. */
  readonly #connection: RedisConnection;
  readonly #reader: RedisConnection;
  /** The head that was last returned to a reader. Undefined before the first. */
  #known: StoredHead | null | undefined;
  /** The SHA-1 of the JSON of a head that was found valid. */
  #validHead = '';
  /** The last entry of `wake` that was read. */
  #wake = '0-0';

  constructor(keys: Keys, connection: RedisConnection, reader: RedisConnection) {
    this.#keys = keys;
    this.#connection = connection;
    this.#reader = reader;
  }

  async readHead(): Promise<Head | null> {
    const [count, fields] = await this.#connection.send(headCommands(this.#keys));
    return readStoredHead(this.#keys, count, fields)?.head ?? null;
  }

  async appendIf(
    expected: PublishedState | null,
    head: Head,
    changes?: readonly PublishedChange[],
  ): Promise<Refused | null> {
    const append = checkAppend(expected, head, changes);
    const { head: headKey, log, wake, parts } = this.#keys;
    const keys = [headKey, log, wake, parts];
    const headFields = toHeadFields(head);
    const args: (string | Buffer)[] = [
      ...(expected ? [nameOf(expected), expected.digest] : ['', '']),
      append.isNewLog ? '1' : '',
      ...headFields,
      this.#validHead,
    ];
    const lists: string[] = [];
    let isDone = false;
    try {
      let bytes = 0;
      for (const { epoch, sequence, digests, changes: batch } of append.changes) {
        const json = await toJson(batch);
        const isLarge = json.length > maxEntryBytes || bytes + json.length > maxAppendBytes;
        const list = isLarge ? await writeParts(this.#connection, this.#keys, json) : null;
        if (list) lists.push(list.key);
        else bytes += json.length;
        const reference = list ? `${keys.push(list.key)} ${list.count} ${list.sha256}` : '';
        args.push(nameOf({ epoch, sequence }), digests.before, digests.after, list ? '' : json, reference);
      }
      const [word, ...fields] = await this.#runAppend(keys, args);
      isDone = word === 'done';
      if (isDone) {
        this.#validHead = sha1(headFields.at(-1)!);
        return null;
      }
      if (word === 'lost') throw new PublicationError(`the key ${fields[0]} has expired before the append`);
      return { head: readStoredHead(this.#keys, fields[0], fields.slice(1))?.head ?? null };
    } catch (error) {
      // the log may refer to the lists
      isDone = error instanceof PublicationError && error.outcome === 'unknown';
      throw error;
    } finally {
      if (!isDone) await removeParts(this.#connection, lists);
    }
  }

  /** Rejects with a PublicationError unless this user may append. */
  async checkRights(): Promise<void> {
    const { head, log, wake, parts } = this.#keys;
    await this.#runScript([head, log, wake, parts], ['probe']);
  }

  /** Validates a head that another process has written before it is replaced. */
  async #runAppend(keys: string[], args: (string | Buffer)[]): Promise<unknown[]> {
    for (;;) {
      const reply = await this.#runScript(keys, args);
      if (reply[0] !== 'unchecked') return reply;
      this.#validHead = validHeadOf(this.#keys, reply.slice(1));
      args[validHeadIndex] = this.#validHead;
    }
  }

  async #runScript(keys: string[], args: readonly (string | Buffer)[]): Promise<unknown[]> {
    const operands = [String(keys.length), ...keys, ...args];
    const run = async (command: string, script: string) => {
      const [reply] = await this.#connection.send([[command, script, ...operands]]);
      return reply as unknown[];
    };
    try {
      return await run('EVALSHA', scriptSha1);
    } catch (error) {
      const isUnknown = error instanceof PublicationError && (error.cause as Error)?.message.startsWith('NOSCRIPT');
      if (!isUnknown) throw error;
      return run('EVAL', appendScript);
    }
  }

  async readFrom(after: PublishedState, { wait, signal }: WaitOptions): Promise<ReadLog> {
    const deadline = performance.now() + wait;
    for (let isFirst = true; ; isFirst = false) {
      signal?.throwIfAborted();
      const remaining = Math.max(0, Math.round(deadline - performance.now()));
      const block = this.#known === undefined || (isFirst && wait <= 0) ? 0 : Math.min(remaining, maxBlock);
      const { changes, stored } = await this.#read(after, block, signal);
      const isChanged = this.#known === undefined || stored?.fingerprint !== this.#known?.fingerprint;
      if (changes.length === 0 && !isChanged && performance.now() < deadline) continue;
      this.#known = stored;
      if (stored && stored.wake !== '0-0') this.#wake = stored.wake;
      return { head: stored?.head ?? null, changes };
    }
  }

  /** Waits for an entry after a state if `block` is more than 0. Reads the head after the log. */
  async #read(
    after: PublishedState,
    block: number,
    signal: AbortSignal | undefined,
  ): Promise<{ changes: readonly PublishedChange[]; stored: StoredHead | null }> {
    const { log, wake } = this.#keys;
    const waits = block > 0 ? ['BLOCK', String(block)] : [];
    const [streams, count, fields] = await this.#reader.send(
      [
        ['XREAD', 'COUNT', String(entriesPerCommand), ...waits, 'STREAMS', log, wake, nameOf(after), this.#wake],
        ...headCommands(this.#keys),
      ],
      { wait: block, signal },
    );
    const stored = readStoredHead(this.#keys, count, fields);
    const list = new ChangeList();
    let entries: readonly unknown[] = [];
    for (const [key, found] of (streams ?? []) as [string, [string, unknown][]][]) {
      if (key === log) entries = found;
      else this.#wake = found.at(-1)![0];
    }
    // what was appended between the two commands would look like a gap
    if (entries.length === 0 && stored && !isSameState(stored.head, after)) {
      entries = await this.#range(nameOf(after), signal);
    }
    while (entries.length > 0) {
      const last = await this.#take(entries, list, signal);
      if (last === null || entries.length < entriesPerCommand || list.isFull) break;
      if (list.isTooMuch(maxReadBytes / 2)) break;
      entries = await this.#range(last, signal);
    }
    return { changes: list.changes, stored };
  }

  async #range(after: string, signal: AbortSignal | undefined): Promise<readonly unknown[]> {
    const command = ['XRANGE', this.#keys.log, `(${after}`, '+', 'COUNT', String(entriesPerCommand)];
    const [entries] = await this.#reader.send([command], { signal });
    return entries as readonly unknown[];
  }

  /** Adds entries to a list. Returns the id of the last one, or null if one was not added. */
  async #take(entries: readonly unknown[], list: ChangeList, signal: AbortSignal | undefined): Promise<string | null> {
    let last: string | null = null;
    for (const entry of entries) {
      const [id, values] = entry as [string, string[]];
      const fields = new Map<string, string>();
      for (let i = 0; i + 1 < values.length; i += 2) fields.set(values[i], values[i + 1]);
      const change = await this.#toChange(id, fields, list, signal);
      if (change === null || !list.add(change.change, change.bytes)) return null;
      last = id;
    }
    return last;
  }

  /** Returns null for an entry that is no change, or that is too much for the list. */
  async #toChange(
    id: string,
    fields: ReadonlyMap<string, string>,
    list: ChangeList,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly change: PublishedChange; readonly bytes: number } | null> {
    if (fields.get('format') !== '1') return null;
    const [epoch, sequence] = id.split('-').map(Number);
    const digests = { before: fields.get('before'), after: fields.get('after') };
    const text = fields.get('changes');
    if (text !== undefined) {
      const value = parseOrNull(text);
      return value && toChangeOrNull({ epoch, sequence, digests, changes: value.value }, text.length);
    }
    const parts = this.#partsOf(fields);
    const bytes = parts === null ? 0 : parts.count * maxEntryBytes;
    if (parts === null || list.isTooMuch(bytes)) return null;
    const read = await readParts(this.#reader, parts, signal);
    return read && toChangeOrNull({ epoch, sequence, digests, changes: read.value }, bytes);
  }

  #partsOf(fields: ReadonlyMap<string, string>): PartList | null {
    const [key, count, sha256] = [fields.get('part') ?? '', Number(fields.get('count')), fields.get('sha256') ?? ''];
    return key.startsWith(this.#keys.part('')) && Number.isSafeInteger(count) && count > 0
      ? { key, count, sha256 }
      : null;
  }
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** Returns the SHA-1 of the JSON of a head that the script has returned. Throws a PublicationError if it is not valid. */
function validHeadOf(keys: Keys, [count, ...fields]: readonly unknown[]): string {
  readStoredHead(keys, count, fields);
  return sha1(fields[4] as string);
}

async function toJson(value: unknown): Promise<Buffer> {
  if (typeof value !== 'object' || value === null) return Buffer.from(JSON.stringify(value) ?? 'null');
  return Buffer.concat(await runInTurns(writeJsonInSteps(value, stepDepth)));
}

function parseOrNull(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function toChangeOrNull(
  value: object,
  bytes: number,
): { readonly change: PublishedChange; readonly bytes: number } | null {
  try {
    return { change: toChange(value, 'a change'), bytes };
  } catch (error) {
    if (error instanceof PublicationError) return null;
    throw error;
  }
}
