import { isDeepStrictEqual } from 'node:util';

export interface Reply {
  status: number;
  text: string;
}

/** What differs first between our reply and theirs, status or text. Null if they say the same. */
export function replyDifference(ours: Reply, theirs: Reply): string | null {
  if (ours.status !== theirs.status) return `status ${ours.status} here, ${theirs.status} there`;
  return differenceOf(ours.text, theirs.text);
}

/** What differs first between our text and theirs. JSON that differs only in the order of keys is the same. */
export function differenceOf(ours: string, theirs: string): string | null {
  if (ours === theirs) return null;
  const difference = firstDifference(parsed(ours), parsed(theirs), 'the reply');
  return difference && cut(difference);
}

export function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The deepest place that holds the first difference, and both values. */
function firstDifference(ours: unknown, theirs: unknown, place: string): string | null {
  if (isDeepStrictEqual(ours, theirs)) return null;
  if (isObject(ours) && isObject(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    if (Array.isArray(ours) && Array.isArray(theirs) && ours.length !== theirs.length)
      return `${place}: ${ours.length} items here, ${theirs.length} there`;
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const difference = firstDifference(ours[key], theirs[key], `${place}.${key}`);
      if (difference !== null) return difference;
    }
  }
  const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return `${place}: ${show(ours)} here, ${show(theirs)} there`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
