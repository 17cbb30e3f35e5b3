/**
 * Case folding for the operators that ignore case: each code point becomes its simple lower case, alone.
 * `İ` becomes `i` (not `i` and a dot), `ß` stays `ß`, `Σ` at the end of a word becomes `σ`.
 */
export function foldCase(text: string): string {
  // ASCII needs no look at single code points
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) {
    const lower = character.toLowerCase();
    // the only lower case of more than one code point is that of İ
    folded += lower.length > character.length ? String.fromCodePoint(lower.codePointAt(0)!) : lower;
  }
  return folded;
}
