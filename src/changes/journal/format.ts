/**
 * The bytes of a journal: a header, then records without gaps. Numbers are unsigned, of 32 bits, little-endian.
 *
 *     header   magic, 8 bytes | format | bytes of the content | CRC-32 of these 16 bytes and the content | content
 *     record   bytes of the payload | CRC-32 of these 4 bytes and the payload | payload
 *
 * Content and payload are JSON in UTF-8. A payload is an array of the transactions that were written together. The
 * checksum covers the length, so that zeros are no record.
 *
 * A record is on disk before the next one is written, so an interrupted write damages only the last one. Every byte of a
 * payload is at least 0x20, since JSON escapes control characters. Four of them would be a length above the maximum, so
 * no part of a payload is a valid record.
 */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { describeProblem } from '../../core/describe-problem.ts';
import type { Steps } from '../../core/steps.ts';
import { describeLaterFormat } from '../../core/written-format.ts';
import {
  encodeChangesInSteps,
  type LoggedChange,
  loggedChange,
  type StateDigests,
  stateDigests,
} from '../log/logged-change.ts';
import { JournalDamaged, JournalError } from './errors.ts';

/** The first is not ASCII and the last is a line feed, so that text conversions show. */
const magic = Buffer.from([0x89, ...Buffer.from('LECTRJ'), 0x0a]);
const currentFormat = 1;
const headerPrefix = 20;
const recordPrefix = 8;
/** Maximum size of a payload in bytes. Must be below 0x20202020. */
const maxPayloadBytes = 2 ** 28;
const payloadStart = '[{"epoch":';

export interface JournalHeader {
  /** The snapshot that the server is started with. A start may also be given a snapshot equal to the base. */
  readonly origin: ContentIdentity;
  readonly base: JournalBase;
  /** What the owner of the journal keeps with the base, in JSON. The journal does not read it. */
  readonly kept?: unknown;
}

const version = { epoch: z.int(), version: z.string() };

/** Not strict: what a later version adds within the format is left out. */
const headerSchema: z.ZodType<JournalHeader> = z.object({
  origin: z.object(version),
  base: z.object({ ...version, sequence: z.int().min(0), image: z.string().nullable() }),
  kept: z.unknown().optional(),
});

const recordSchema: z.ZodType<Transaction[]> = z.array(
  z.object({
    ...loggedChange,
    digests: stateDigests.optional(),
    previous: z.string().nullable(),
    idempotencyKey: z.string().optional(),
    answer: z.unknown().optional(),
    requested: z.unknown().optional(),
  }),
);

/** Returns the record of one or more transactions. Throws a RangeError if they do not fit into a record. */
export function* encodeRecordInSteps(transactions: readonly Transaction[]): Steps<Buffer> {
  const pieces = yield* encodeChangesInSteps(transactions);
  const bytes = pieces.reduce((total, { length }) => total + length, 0);
  if (bytes > maxPayloadBytes)
    throw new RangeError(`appended ${bytes} bytes of transactions; the limit is ${maxPayloadBytes}`);
  const record = Buffer.concat([Buffer.alloc(recordPrefix), ...pieces]);
  yield;
  record.writeUInt32LE(record.length - recordPrefix, 0);
  record.writeUInt32LE(crc32(record.subarray(recordPrefix), crc32(record.subarray(0, 4))), 4);
  return record;
}

export function encodeHeader({ origin, base, kept }: JournalHeader): Buffer {
  const { epoch, version } = origin;
  const content = Buffer.from(JSON.stringify({ origin: { epoch, version }, base, kept }));
  const prefix = Buffer.alloc(headerPrefix);
  magic.copy(prefix);
  prefix.writeUInt32LE(currentFormat, 8);
  prefix.writeUInt32LE(content.length, 12);
  prefix.writeUInt32LE(crc32(content, crc32(prefix.subarray(0, 16))), 16);
  return Buffer.concat([prefix, content]);
}

/** Returns the header and the offset after it. Throws a JournalError for a file that is no journal or of a newer format. */
export function decodeHeader(path: string, bytes: Buffer): { header: JournalHeader; end: number } {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw new JournalError(`${path} is not a journal`);
  if (bytes.length < headerPrefix) throw new JournalDamaged(path, bytes.length, 'it ends in its header');
  const later = describeLaterFormat(bytes.readUInt32LE(8), currentFormat);
  if (later) throw new JournalError(`the journal ${path} ${later}`);
  const end = headerPrefix + bytes.readUInt32LE(12);
  const content = bytes.subarray(headerPrefix, end);
  if (end > bytes.length || crc32(content, crc32(bytes.subarray(0, 16))) !== bytes.readUInt32LE(16)) {
    throw new JournalDamaged(path, 0, 'the CRC-32 of its header does not match');
  }
  return { header: parse(path, 0, 'its header', content.toString(), headerSchema), end };
}

/** Returns the offset after the record at `offset`, or null if there is no valid one. */
export function recordEnd(bytes: Buffer, offset: number): number | null {
  if (offset + recordPrefix > bytes.length) return null;
  const length = bytes.readUInt32LE(offset);
  const end = offset + recordPrefix + length;
  if (length > maxPayloadBytes || end > bytes.length) return null;
  const checksum = crc32(bytes.subarray(offset + recordPrefix, end), crc32(bytes.subarray(offset, offset + 4)));
  return checksum === bytes.readUInt32LE(offset + 4) ? end : null;
}

/** Bytes that are searched at a time, as `indexOf` fails from 2 GiB on. */
const searchedBytes = 2 ** 30;

/** Returns the offset of the first valid record after `offset`, or null. */
export function findRecord(bytes: Buffer, offset: number): number | null {
  for (let first = offset + 1 + recordPrefix; first < bytes.length; first += searchedBytes) {
    const part = bytes.subarray(first, first + searchedBytes + payloadStart.length - 1);
    for (let at = part.indexOf(payloadStart); at >= 0; at = part.indexOf(payloadStart, at + 1)) {
      const record = first + at - recordPrefix;
      if (recordEnd(bytes, record) !== null) return record;
    }
  }
  return null;
}

/** Whether the bytes from `offset` have the length that a record there says, whatever else is wrong with them. */
export function hasWholeLength(bytes: Buffer, offset: number): boolean {
  if (offset + recordPrefix > bytes.length) return false;
  const length = bytes.readUInt32LE(offset);
  // a file system may leave zeros where a write was interrupted
  return length >= payloadStart.length && length <= maxPayloadBytes && offset + recordPrefix + length <= bytes.length;
}

/**
 * Returns the transactions of the record from `offset` to `end`, whose checksum is right. Throws a JournalDamaged if it
 * holds anything else.
 */
export function decodeRecord(path: string, bytes: Buffer, offset: number, end: number): Transaction[] {
  return parse(path, offset, 'the record', bytes.toString('utf8', offset + recordPrefix, end), recordSchema);
}

/** Parses JSON whose checksum is right, so that only another program can have written what the schema refuses. */
function parse<Result>(path: string, offset: number, name: string, json: string, schema: z.ZodType<Result>): Result {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new JournalDamaged(path, offset, `${name} is not valid JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new JournalDamaged(
    path,
    offset,
    `Lectern did not write ${name}: ${describeProblem(error.issues[0], value, schema)}`,
  );
}

/** What a journal holds: transactions, and the content to which they are applied. */

/** A change with what a server keeps of the request for it. The journal reads none of that. */
export interface Transaction extends Omit<LoggedChange, 'digests'> {
  /** Absent in journals of earlier versions. */
  readonly digests?: StateDigests;
  /** The version that the changes require, or null. */
  readonly previous: string | null;
  /** The key under which a repeated request gets `answer` again. */
  readonly idempotencyKey?: string;
  readonly answer?: unknown;
  /** What was asked for and led to the changes, for another base. */
  readonly requested?: unknown;
}

/** Identifies a content by its epoch and the digest of its version. */
export interface ContentIdentity {
  readonly epoch: number;
  readonly version: string;
}

/** The content that a journal is opened with. */
export interface StartingContent extends ContentIdentity {
  /** The digest of its version in journals of earlier versions of Lectern, if it had another one. */
  readonly earlier?: string;
  /** The number of changes that it includes. Default: 0. */
  readonly sequence?: number;
}

/** The content to which the transactions of a journal are applied. */
export interface JournalBase extends ContentIdentity {
  /** The last transaction that the content includes. */
  readonly sequence: number;
  /** The name of its image in the folder of the journal (`imageName`). Null for the content given at the start. */
  readonly image: string | null;
}

export function isSameContent(one: ContentIdentity, other: ContentIdentity): boolean {
  return one.epoch === other.epoch && one.version === other.version;
}
