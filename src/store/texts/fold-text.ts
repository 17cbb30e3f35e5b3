import { foldCase } from '../../model/schema/case-folding.ts';

/** A character beyond ASCII that folding may change. */
const foldedCharacter = /(?=[^\0-\x7f])\p{Changes_When_Lowercased}/u;

/** Folds a text in UTF-8. Returns null if its bytes are the folded text when they are read through `lowerCased`. */
export function foldText(bytes: Buffer, start: number, end: number): string | null {
  if (!mayChange(bytes, start, end)) return null;
  const text = bytes.toString('utf8', start, end);
  return foldedCharacter.test(text) ? foldCase(text) : null;
}

/** Whether a text has more than ASCII, à to ÿ and common punctuation. Folding changes nothing of those but A to Z. */
function mayChange(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte < 0x80) continue;
    const next = bytes[++at];
    if (byte === 0xe2 && next === 0x80) at++;
    else if (byte !== 0xc2 && !(byte === 0xc3 && next >= 0xa0)) return true;
  }
  return false;
}
