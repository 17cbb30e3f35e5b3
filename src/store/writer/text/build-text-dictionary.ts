import { SnapshotError } from '../../../core/errors.ts';
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { separator } from '../../texts/pattern.ts';
import { TextDictionary } from '../../texts/text-dictionary.ts';
import { TextSearch } from '../../texts/text-search.ts';
import { buildTrigrams } from './build-trigrams.ts';
import { foldTexts } from './fold-texts.ts';

/** Native searches count bytes in 31 bits. */
const maximumBytes = 0x7fffffff;

/** An index does not speed up searches in fewer bytes than this. */
const indexedBytes = 16 * 1024;

/** The bytes and offsets of a TextDictionary. */
export interface SortedTexts {
  readonly bytes: Buffer;
  readonly offsets: Uint32Array;
}

/**
 * Copies distinct texts in ascending order. Text t is `source[starts[t]]` up to `source[starts[t + 1]]`, and `sorted`
 * holds the numbers of the texts. Throws a SnapshotError that names `place` for more than 2 GiB.
 */
export function copySorted(
  source: Buffer,
  starts: Uint32Array,
  sorted: Uint32Array,
  allocator: Allocator = heapAllocator,
  place = 'the snapshot',
): SortedTexts {
  let length = 1;
  for (const text of sorted) length += starts[text + 1] - starts[text] + 1;
  if (length > maximumBytes) {
    throw new SnapshotError([`${place}: the distinct texts take ${length} bytes, the limit is ${maximumBytes}`]);
  }
  const bytes = allocator.bytes(length);
  bytes[0] = separator;
  const offsets = allocator.uint32(sorted.length + 1);
  offsets[0] = 1;
  for (let i = 0; i < sorted.length; i++) {
    const text = sorted[i];
    source.copy(bytes, offsets[i], starts[text], starts[text + 1]);
    offsets[i + 1] = offsets[i] + starts[text + 1] - starts[text] + 1;
    bytes[offsets[i + 1] - 1] = separator;
  }
  return { bytes, offsets };
}

/** Builds the dictionary of sorted texts and their search. */
export function buildTextDictionary(
  { bytes, offsets }: SortedTexts,
  allocator: Allocator = heapAllocator,
): TextDictionary {
  const folded = foldTexts(bytes, offsets, allocator);
  const trigrams = bytes.length < indexedBytes ? null : buildTrigrams(folded, allocator);
  return new TextDictionary(bytes, offsets, new TextSearch(bytes, offsets, folded, trigrams));
}
