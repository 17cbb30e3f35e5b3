/** What an address of the page says: `/_explorer?view=tree&plan#/api/articles?sort=title`. */

/** The ways to show a reply. */
export const views = ['table', 'tree', 'raw'] as const;

export type View = (typeof views)[number];

export interface PageState {
  /** The URL that is explored, with the prefix. Empty: the first type. */
  readonly target: string;
  readonly view: View;
  readonly showsPlan: boolean;
}

/** Reads the query string and the fragment of the page. Browsers encode a few characters of fragments. */
export function readPageState(search: string, hash: string): PageState {
  const options = new URLSearchParams(search);
  const view = views.find((name) => name === options.get('view')) ?? 'table';
  return { target: hash.replace(/^#/, ''), view, showsPlan: options.has('plan') };
}

/** Prints a state as a relative URL of the page. */
export function printPageState({ target, view, showsPlan }: PageState): string {
  const options = [...(view === 'table' ? [] : [`view=${view}`]), ...(showsPlan ? ['plan'] : [])];
  const query = options.length > 0 ? `?${options.join('&')}` : '';
  return `${query}#${target.replaceAll('#', '%23')}`;
}

/**
 * Returns what a text names below the prefix. The text may be a whole URL of any server, so that one can be pasted from a
 * front end. The result does not begin with what would make another server of its first name.
 */
export function urlBelowPrefix(text: string, base: string, prefix: string): string {
  const path = text.trim().replace(/^https?:\/\/[^/?#]*/i, '');
  for (const beginning of [`${base}${prefix}/`, `${prefix}/`]) {
    if (path.startsWith(beginning)) return withoutSlashes(path.slice(beginning.length));
  }
  return withoutSlashes(path);
}

/** Browsers read a backslash as a slash, and skip control characters. */
function withoutSlashes(path: string): string {
  return path.replace(/^[/\\\s\p{Cc}]+/u, '');
}
