/** Values of replies as short texts. Nothing longer than a limit is ever made, however large a value is. */
import type { ExploredSchema } from '../state/explored.ts';

/** Returns whether a value is an object, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns one line that tells most of a value: the name or title of an entry, the text of a block. */
export function summaryOf(value: unknown, limit = 120): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return cut(value.replaceAll(/\s+/g, ' '), limit);
  if (Array.isArray(value)) return summaryOfList(value, limit);
  if (isObject(value)) return summaryOfObject(value, limit);
  return String(value);
}

function summaryOfList(items: readonly unknown[], limit: number): string {
  let text = '';
  for (const item of items) {
    if (text.length > limit) break;
    const summary = summaryOf(item, limit);
    if (summary !== '') text += text === '' ? summary : ` · ${summary}`;
  }
  return cut(text, limit);
}

/** The members that name an entry, the best first. */
const names = [
  'title',
  'name',
  'displayName',
  'label',
  'headline',
  'text',
  'alternativeText',
  'username',
  '__component',
];

function summaryOfObject(object: Readonly<Record<string, unknown>>, limit: number): string {
  if (Array.isArray(object.data)) return summaryOf(object.data, limit);
  if (Array.isArray(object.children)) return summaryOf(object.children, limit);
  if (typeof object.count === 'number' && Object.keys(object).length === 1) return `${object.count} entries`;
  const isText = (key: string) => typeof object[key] === 'string' && object[key] !== '';
  const name =
    names.find(isText) ?? Object.keys(object).find((key) => /(?:title|name|heading)$/i.test(key) && isText(key));
  if (name !== undefined) return summaryOf(object[name], limit);
  return previewOf(object, limit);
}

/** Returns the beginning of a value as it would be written: `{ id: 1, title: "…" }`. */
export function previewOf(value: unknown, limit = 100): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, limit));
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${membersPreview(value.entries(), value.length, limit, false)}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value);
  if (keys.length === 0) return '{}';
  const members = keys.slice(0, limit).map((key) => [key, value[key]] as const);
  return `{ ${membersPreview(members, keys.length, limit, true)} }`;
}

function membersPreview(
  members: Iterable<readonly [string | number, unknown]>,
  count: number,
  limit: number,
  isNamed: boolean,
): string {
  let text = '';
  let shown = 0;
  for (const [key, member] of members) {
    const left = limit - text.length;
    if (left < 8) break;
    const inner =
      typeof member === 'object' && member !== null
        ? Array.isArray(member)
          ? '[…]'
          : '{…}'
        : previewOf(member, Math.min(left, 40));
    text += `${shown === 0 ? '' : ', '}${isNamed ? `${key}: ` : ''}${inner}`;
    shown++;
  }
  return shown < count ? `${text}, …` : text;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** Returns a link that is safe to follow, or null: an absolute URL of HTTP. */
export function linkOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || text.length > 2000 || !URL.canParse(text)) return null;
  return text;
}

/** Where pictures may come from: below `base` on this server, and from the origin `mediaUrl`. */
type Places = Pick<ExploredSchema, 'base' | 'mediaUrl'>;

/** Stands for the origin of the page. */
const thisServer = 'http://this.invalid';

/** Returns the address of a small picture of a file, if the page may load it: from this server, or from `mediaUrl`. */
export function thumbnailOf(value: unknown, { base, mediaUrl }: Places): string | null {
  if (!isObject(value) || typeof value.mime !== 'string' || !value.mime.startsWith('image/')) return null;
  const { thumbnail } = (isObject(value.formats) ? value.formats : {}) as { thumbnail?: unknown };
  const { url } = isObject(thumbnail) ? thumbnail : value;
  if (typeof url !== 'string') return null;
  if (!URL.canParse(url, thisServer)) return null;
  const { origin, pathname, search } = new URL(url, thisServer);
  if (origin === thisServer) return url.startsWith('/') ? base + pathname + search : null;
  return origin === mediaUrl ? url : null;
}
