import { maximumJsonDepth } from './value-types.ts';

/**
 * Returns JSON in the text form of PostgreSQL's jsonb. Text operators compare JSON and blocks in this form. Equal
 * values have equal texts.
 */
export function jsonText(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // values from extensions, such as dates, are served as JSON.stringify writes them
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonText(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => [Buffer.from(key), key, inner] as const);
  // jsonb sorts keys by length, then by bytes
  members.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return `{${members.map(([, key, inner]) => `${JSON.stringify(key)}: ${jsonText(inner)}`).join(', ')}}`;
}

/** Returns whether JSON has more than `levels` levels of arrays and objects. Descends no further than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/**
 * Returns the jsonb text of a served value. Parses a string that holds JSON. A string that is not JSON, or that exceeds
 * the maximum depth, is quoted.
 */
export function servedJsonText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  try {
    const inner = JSON.parse(value);
    if (!isDeeperThan(inner, maximumJsonDepth)) return jsonText(inner);
  } catch {
    // not JSON
  }
  return JSON.stringify(value);
}

/** Formats a number without an exponent. */
function numberText(value: number): string {
  const [digits, exponent] = JSON.stringify(value).split('e');
  if (exponent === undefined) return digits;
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits)!;
  const places = Number(exponent);
  if (places > 0) return sign + whole + fraction.padEnd(places, '0');
  return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
}
