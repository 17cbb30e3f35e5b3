import { JournalDamaged } from './errors.ts';
import { decodeRecord, findRecord, recordEnd } from './format.ts';
import type { JournalBase, Transaction } from './transaction.ts';

/** Where a record lies in the file, in bytes, and its last transaction. */
export interface RecordExtent {
  readonly start: number;
  readonly end: number;
  readonly lastSequence: number;
}

export interface ReadRecords {
  readonly records: readonly RecordExtent[];
  readonly transactions: readonly Transaction[];
  /** The offset after the last valid record. Bytes after it are no valid record. */
  readonly end: number;
}

/**
 * Reads the records of a journal from the offset `start`. Throws a JournalDamaged if valid records follow an invalid one
 * or if the transactions are not those of the base, in order and without gaps. A last record that is damaged looks like
 * one that was not written completely.
 */
export function readRecords(path: string, bytes: Buffer, start: number, base: JournalBase): ReadRecords {
  const records: RecordExtent[] = [];
  const transactions: Transaction[] = [];
  let lastSequence = base.sequence;
  let offset = start;
  for (let end = recordEnd(bytes, offset); end !== null; end = recordEnd(bytes, offset)) {
    for (const transaction of decodeRecord(path, bytes, offset, end)) {
      const { epoch, sequence } = transaction;
      if (epoch !== base.epoch || sequence !== lastSequence + 1) {
        const expected = `${base.epoch}-${lastSequence + 1} was expected`;
        throw new JournalDamaged(path, offset, `it holds the transaction ${epoch}-${sequence}, and ${expected}`);
      }
      lastSequence = sequence;
      transactions.push(transaction);
    }
    records.push({ start: offset, end, lastSequence });
    offset = end;
  }
  const next = findRecord(bytes, offset);
  if (next !== null) {
    throw new JournalDamaged(path, offset, `the record there is invalid, and a valid one follows at byte ${next}`);
  }
  return { records, transactions, end: offset };
}
