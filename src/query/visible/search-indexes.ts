import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
import { heapAllocator } from '../../core/memory/allocator.ts';
import { runAtOnce, runInTurns, type Steps } from '../../core/steps.ts';
import { buildTrigramsInSteps } from '../../store/texts/build-trigrams.ts';
import type { TextSearch } from '../../store/texts/text-search.ts';
import type { TrigramIndex } from '../../store/texts/trigram-index.ts';

/** This many searches without an index take about as long as building it. */
const searchesPerIndex = 8;

/**
 * Builds the trigram index of texts when they are searched, between other work. Requests meanwhile read the texts. When
 * they have taken as long as building, the next one builds it at once. Indexes stay until the content is replaced or
 * gives up its memory: one for which the limit leaves no room is built once and not kept.
 */
export class SearchIndexes {
  #maximumBytes: number;
  /** The bytes of each index. */
  readonly #built = new Map<TextSearch, number>();
  /** How many searches have read the texts whose index is being built. */
  readonly #building = new Map<TextSearch, number>();
  /** Texts whose index did not fit. */
  #tooLarge = new WeakSet<TextSearch>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** `maximumBytes` is the setting `searchBytes`. */
  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** How many searches had an index, and how many had none that would have paid. The bytes are those of indexes built here. */
  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes };
  }

  /** Records that texts are about to be searched. */
  use(search: TextSearch): void {
    if (!search.hasTrigrams) return;
    if (search.trigrams) this.#hits++;
    else this.#misses++;
    if (search.trigrams || this.#tooLarge.has(search) || this.#maximumBytes === 0) return;
    const searches = (this.#building.get(search) ?? 0) + 1;
    this.#building.set(search, searches);
    // without memory for the index, searches go on reading the texts
    if (searches === 1) runInTurns(this.#buildInSteps(search)).catch(() => this.#tooLarge.add(search));
    if (searches > searchesPerIndex) this.#keep(search, runAtOnce(buildTrigramsInSteps(search.folded, heapAllocator)));
  }

  *#buildInSteps(search: TextSearch): Steps<void> {
    this.#keep(search, yield* buildTrigramsInSteps(search.folded, heapAllocator));
  }

  #keep(search: TextSearch, index: TrigramIndex): void {
    if (!this.#building.delete(search)) return;
    const bytes = bytesOf(index);
    if (this.#bytes + bytes > this.#maximumBytes) {
      this.#tooLarge.add(search);
      return;
    }
    search.trigrams = index;
    this.#built.set(search, bytes);
    this.#bytes += bytes;
  }

  /** Keeps at most this many bytes from now on. Gives up all indexes if they take more. */
  limit(maximumBytes: number): void {
    this.#maximumBytes = maximumBytes;
    this.#tooLarge = new WeakSet();
    if (this.#bytes <= maximumBytes) return;
    for (const search of this.#built.keys()) search.trigrams = null;
    this.forget();
  }

  /** Forgets texts that a new base has replaced, and their indexes with them. */
  forget(): void {
    this.#built.clear();
    this.#building.clear();
    this.#bytes = 0;
  }
}

function bytesOf({ lists, frequent }: TrigramIndex): number {
  const arrays = [lists.trigrams, lists.offsets, lists.gaps, frequent.bytes, frequent.words];
  return arrays.reduce((total, { byteLength }) => total + byteLength, 0);
}
