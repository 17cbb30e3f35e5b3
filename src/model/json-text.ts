import { maximumJsonDepth } from './value-types.ts';

/** JSON as PostgreSQL writes its type jsonb: what operators on text see of JSON and blocks, equal for equal values. */
export function jsonText(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // objects of a program, such as dates, are served as JSON.stringify writes them
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonText(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => [Buffer.from(key), key, inner] as const);
  // shorter keys first
  members.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return `{${members.map(([, key, inner]) => `${JSON.stringify(key)}: ${jsonText(inner)}`).join(', ')}}`;
}

/** Whether JSON has more than so many levels of lists and objects. Looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/**
 * The same of a value as it is served: JSON that is one text stands there with the quotes of its own JSON, and so does
 * a text of JSON that is deeper than JSON may be.
 */
export function servedJsonText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  try {
    const inner = JSON.parse(value);
    if (!isDeeperThan(inner, maximumJsonDepth)) return jsonText(inner);
  } catch {
    // a text that is no JSON
  }
  return JSON.stringify(value);
}

/** A number without exponent. */
function numberText(value: number): string {
  const [digits, exponent] = JSON.stringify(value).split('e');
  if (exponent === undefined) return digits;
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits)!;
  const places = Number(exponent);
  if (places > 0) return sign + whole + fraction.padEnd(places, '0');
  return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
}
