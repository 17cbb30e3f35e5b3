/** Copies of arrays that differ in a few places. The runs between them are copied as blocks. */

type Numbers = Uint16Array | Uint32Array | Float64Array;

/** Returns the numbers without those at some places, which are ascending. */
export function withoutPlaces<Some extends Numbers>(numbers: Some, places: readonly number[]): Some {
  // only for its type and length
  const left = numbers.slice(places.length) as Some;
  let from = 0;
  let to = 0;
  for (const place of [...places, numbers.length]) {
    if (place > from) left.set(numbers.subarray(from, place), to);
    to += place - from;
    from = place + 1;
  }
  return left;
}

/** Fills `into` with the numbers and, before place `places[i]` of them, `added[i]`. The places are ascending. */
export function copyWith<Some extends Numbers>(
  into: Some,
  numbers: Some,
  places: readonly number[],
  added: readonly number[],
): Some {
  let from = 0;
  for (let i = 0; i < places.length; i++) {
    if (places[i] > from) into.set(numbers.subarray(from, places[i]), from + i);
    from = places[i];
    into[from + i] = added[i];
  }
  into.set(numbers.subarray(from), from + places.length);
  return into;
}
