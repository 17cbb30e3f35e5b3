import { isPlainObject } from './plain-object.ts';
import type { Steps } from './steps.ts';

/** Texts are written when they have this many characters. */
const pieceLength = 2 ** 16;

/**
 * Writes plain JSON as `JSON.stringify` does, in steps. Members and items down to `depth` levels are texts of their
 * own, each of which takes one step. Returns pieces of UTF-8.
 */
export function* writeJsonInSteps(value: object, depth: number): Steps<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of textsOf(value, depth)) {
    text += part;
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    yield;
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

function* textsOf(value: unknown, depth: number): Generator<string> {
  if (depth > 0 && Array.isArray(value)) {
    yield '[';
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ',';
      yield* textsOf(item ?? null, depth - 1);
    }
    yield ']';
  } else if (depth > 0 && isPlainObject(value)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* textsOf(member, depth - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value) ?? 'null';
}
