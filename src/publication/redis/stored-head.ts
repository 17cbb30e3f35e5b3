import { type Head, PublicationError } from '../publication.ts';
import { checkFormat, parseJson, storedFormat, toHead } from '../stored-records.ts';
import type { Command } from './connection.ts';
import type { Keys } from './keys.ts';

/** A head, and the entry of `wake` that it names. */
export interface StoredHead {
  readonly head: Head;
  /** `0-0` if it names none. */
  readonly wake: string;
  /** Equal for equal heads. */
  readonly fingerprint: string;
}

/** The commands whose replies `readStoredHead` takes. */
export function headCommands({ head }: Keys): Command[] {
  return [
    ['HLEN', head],
    ['HMGET', head, 'format', 'epoch', 'sequence', 'digest', 'json', 'wake'],
  ];
}

/** Returns null if there is no head. Throws a PublicationError that names the key and the field. */
export function readStoredHead({ head: key }: Keys, count: unknown, fields: unknown): StoredHead | null {
  if (count === 0) return null;
  const place = `the key ${key}`;
  const [format, epoch, sequence, digest, json, wake] = fields as (string | null)[];
  if (format === null) throw new PublicationError(`${place}: not written by Lectern: it has no field "format"`);
  checkFormat(toNumber(format), place);
  if (json === null) throw new PublicationError(`${place}: the field "json" is missing`);
  const more = parseJson(json, `${place}, field "json"`);
  const value = {
    ...(more as object),
    epoch: toNumber(epoch),
    sequence: toNumber(sequence),
    digest: digest ?? undefined,
  };
  const isId = wake !== null && /^\d+-\d+$/.test(wake);
  const fingerprint = [epoch, sequence, digest, json, wake].join('\n');
  return { head: toHead(value, place), wake: isId ? wake : '0-0', fingerprint };
}

/** Returns the arguments of the script that are fields of the head. */
export function toHeadFields({ epoch, sequence, digest, ...more }: Head): string[] {
  const { image } = more;
  const json = JSON.stringify(more);
  return [String(storedFormat), String(epoch), String(sequence), digest, `${image.epoch}-${image.sequence}`, json];
}

/** Returns what is no number in decimal digits as it is, for the message about it. */
function toNumber(text: string | null): unknown {
  if (text === null) return undefined;
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}
