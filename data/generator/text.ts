/** Small tools for text: lists written as text, templates, letter case, slugs. */

/** The lines of a list written as text, without indentation and blank lines. */
export function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The items of a list written as text, parted by `, `. */
export function words(text: string): string[] {
  return lines(text).flatMap((line) => line.replace(/,$/, '').split(', '));
}

/** The rows of a table written as text: one row a line, cells parted by ` | `. */
export function table(text: string): string[][] {
  return lines(text).map((line) => line.split('|').map((cell) => cell.trim()));
}

/** Puts a value into each `{slot}`; a template with an unknown slot is a mistake in this program. */
export function fill(template: string, value: (slot: string) => string | undefined): string {
  return template.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const found = value(slot);
    if (found === undefined) throw new Error(`no value for {${slot}} in: ${template}`);
    return found;
  });
}

export function capitalise(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  return first.toUpperCase() + text.slice(first.length);
}

/** A sentence begins with a capital, also behind an opening quotation mark. */
export function sentenceCase(text: string): string {
  return text.replace(/^[“"«„]?\s*\p{Ll}/u, (start) => start.toUpperCase());
}

const SMALL_WORDS = new Set(words('a, an, and, as, at, by, for, in, of, on, or, the, to, with'));

/** English title case. */
export function titleCase(text: string): string {
  return capitalise(
    text
      .split(' ')
      .map((word) => (SMALL_WORDS.has(word) ? word : capitalise(word)))
      .join(' '),
  );
}

const PLAIN: Record<string, string> = { ł: 'l', đ: 'd', ø: 'o', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ð: 'd', þ: 'th' };

/** Lower-case ASCII letters, digits and single hyphens. */
export function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[łđøßæœıðþ]/g, (letter) => PLAIN[letter])
    .normalize('NFD')
    .replace(/[\u0300-\u036f’']/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Gives each name a slug of its own: the second `ada` becomes `ada-2`. */
export class Slugs {
  readonly #used = new Map<string, number>();

  take(name: string): string {
    const slug = slugify(name);
    const times = (this.#used.get(slug) ?? 0) + 1;
    this.#used.set(slug, times);
    return times === 1 ? slug : this.take(`${slug}-${times}`);
  }
}
