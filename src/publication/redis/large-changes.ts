import { createHash, randomUUID } from 'node:crypto';
import { readJsonInSteps } from '../../core/json-reader.ts';
import { formatNumber } from '../../core/problems.ts';
import { runInTurns } from '../../core/steps.ts';
import { PublicationError } from '../publication.ts';
import type { RedisConnection } from './connection.ts';
import type { Keys } from './keys.ts';

/** Changes with more bytes of JSON are stored in parts. */
export const maxEntryBytes = 2 ** 20;
const partBytes = 2 ** 20;
const maxParts = 256;
/** Seconds after which a list expires that the log does not refer to. Each part begins them anew. */
const expiry = 600;

/** A list of parts, as an entry of the log refers to it. */
export interface PartList {
  readonly key: string;
  readonly count: number;
  /** Of all bytes. */
  readonly sha256: string;
}

/** Writes the parts of a large change, which is not visible before the log refers to them. */
export async function writeParts(connection: RedisConnection, keys: Keys, json: Buffer): Promise<PartList> {
  const count = Math.ceil(json.length / partBytes);
  if (count > maxParts) {
    const sizes = `${formatNumber(json.length)} bytes; the limit is ${formatNumber(maxParts * partBytes)}`;
    throw new PublicationError(`a batch is too large to be published: it has ${sizes}. Publish an image instead`);
  }
  const key = keys.part(randomUUID());
  try {
    for (let i = 0; i < count; i++) {
      const part = json.subarray(i * partBytes, (i + 1) * partBytes);
      await connection.send([
        ['RPUSH', key, part],
        ['EXPIRE', key, String(expiry)],
      ]);
    }
  } catch (error) {
    await removeParts(connection, [key]);
    // nothing is visible, whatever became of the parts
    throw new PublicationError((error as Error).message, { outcome: 'none' });
  }
  return { key, count, sha256: createHash('sha256').update(json).digest('hex') };
}

/** Removes lists that the log does not refer to. If that fails, they expire. */
export async function removeParts(connection: RedisConnection, lists: readonly string[]): Promise<void> {
  if (lists.length > 0) await connection.send([['DEL', ...lists]]).catch(() => {});
}

/** Returns the value of a large change, or null if parts are missing or have other bytes. */
export async function readParts(
  connection: RedisConnection,
  { key, count, sha256 }: PartList,
  signal?: AbortSignal,
): Promise<{ readonly value: unknown } | null> {
  if (count > maxParts) return null;
  const parts: Buffer[] = [];
  const hash = createHash('sha256');
  for (let i = 0; i < count; i++) {
    const [found] = (await connection.send([['LRANGE', key, String(i), String(i)]], { signal, asBytes: true })) as [
      Buffer[],
    ];
    if (found.length === 0 || found[0].length > partBytes) return null;
    hash.update(found[0]);
    parts.push(found[0]);
  }
  if (hash.digest('hex') !== sha256) return null;
  const { value, error } = await runInTurns(readJsonInSteps(Buffer.concat(parts)));
  return error ? null : { value };
}
