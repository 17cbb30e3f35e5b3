/** One parameter of a query string: `filters[title][$eq]=x` has the path `filters`, `title`, `$eq`. */
export interface Parameter {
  /** Decoded. The last part of `a[]` is empty. A key with unusual brackets is one part. */
  readonly path: readonly string[];
  /** Null if the key has no `=`. */
  readonly value: string | null;
}

/** Splits a query string as the server does: brackets may be encoded, and a key ends before `]=`. */
export function parseParameters(queryString: string): Parameter[] {
  const text = queryString.replaceAll(/%5b/gi, '[').replaceAll(/%5d/gi, ']');
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const bracket = part.indexOf(']=');
      const equals = bracket < 0 ? part.indexOf('=') : bracket + 1;
      if (equals < 0) return { path: pathOf(decode(part)), value: null };
      return { path: pathOf(decode(part.slice(0, equals))), value: decode(part.slice(equals + 1)) };
    });
}

/** Prints parameters readably: only what must be encoded is. */
export function printParameters(parameters: readonly Parameter[]): string {
  return parameters
    .map(({ path: [name, ...parts], value }) => {
      const key = encode(name) + parts.map((part) => `[${encode(part)}]`).join('');
      return value === null ? key : `${key}=${encode(value)}`;
    })
    .join('&');
}

/** Returns the name of the whole parameter that a part belongs to, also for keys with unusual brackets. */
export function nameOf({ path }: Parameter): string {
  return /^\[?([^[\]]*)/.exec(path[0])![1];
}

/** Returns whether a path begins with another, or equals it. */
export function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return path.length >= beginning.length && beginning.every((part, i) => part === path[i]);
}

/** As for the server, the first name may be in brackets, too. */
function pathOf(key: string): string[] {
  const parts = /^(?:\[([^[\]]+)\]|([^[\]]+))((?:\[[^[\]]*\])*)$/.exec(key);
  if (!parts) return [key];
  const [, enclosed, plain, brackets] = parts;
  const name = enclosed ?? plain;
  return brackets === '' ? [name] : [name, ...brackets.slice(1, -1).split('][')];
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%(?:24|2C|3A|2F|40|5B|5D)/g, decodeURIComponent);
}
