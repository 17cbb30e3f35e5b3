import { isUtf8 } from 'node:buffer';
import type { JsonRows } from '../../../store/json-rows.ts';
import { check, type Finding, hasLength, type Rules, rises } from './invariants.ts';
import { isJsonValue } from './json-value.ts';

interface CheckedRows extends Pick<JsonRows, 'bytes' | 'offsets' | 'names'> {
  readonly rowCount: number;
}

/** Checks that each fragment of the rows is the name of its attribute and a JSON value, and that they fill the bytes. */
export function checkRows(name: string, rows: JsonRows, rowCount: number): void {
  const { bytes, offsets, names } = rows;
  check(name, rowRules, { bytes, offsets, names, rowCount });
}

const rowRules: Rules<CheckedRows> = [
  ['offsets', ({ offsets, names, rowCount }) => hasLength(offsets, rowCount * (names.length + 1))],
  ['offsets', ({ offsets, bytes, rowCount }) => (rowCount > 0 ? rises(offsets, 0, bytes.length) : hasLength(bytes, 0))],
  ['bytes', areFragments],
];

/** Bytes of rows whose characters are checked at a time. */
const pieceBytes = 2 ** 20;

function areFragments({ bytes, offsets, names, rowCount }: CheckedRows): Finding {
  const keys = names.map((name, i) => Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`));
  const wrong = (row: number, i: number, expected: string) => {
    return `row ${row} has no ${expected} of ${JSON.stringify(names[i])} from byte ${offsets[row * stride + i]}`;
  };
  const stride = names.length + 1;
  let pieceStart = 0;
  for (let row = 0; row < rowCount; row++) {
    const first = row * stride;
    if (offsets[first] !== offsets[Math.max(first - 1, 0)]) return `row ${row} does not follow the row before it`;
    // a character cannot go on in the next row, which begins with a quote
    const rowEnd = offsets[first + names.length];
    if (rowEnd - pieceStart >= pieceBytes || row === rowCount - 1) {
      if (!isUtf8(bytes.subarray(pieceStart, rowEnd))) return `one of the rows up to ${row} is not UTF-8`;
      pieceStart = rowEnd;
    }
    for (let i = 0; i < names.length; i++) {
      const start = offsets[first + i];
      const end = offsets[first + i + 1];
      if (!startsWith(bytes, start, end, keys[i])) return wrong(row, i, 'name');
      if (!isJsonValue(bytes, start + keys[i].length, end)) return wrong(row, i, 'value');
    }
  }
  return null;
}

function startsWith(bytes: Uint8Array, start: number, end: number, key: Buffer): boolean {
  if (start + key.length > end) return false;
  let i = 0;
  while (i < key.length && bytes[start + i] === key[i]) i++;
  return i === key.length;
}
