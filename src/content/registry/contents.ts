import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Content } from '../content.ts';
import type { Preview } from '../previews/preview.ts';
import type { MadeChange } from '../versions/prepared-change.ts';
import type { ContentSource, Freshness } from './content-source.ts';
import type { PutContent } from './put-content.ts';

/** One of several contents in a process. A content that is put in place of another gets a new entry. */
export interface ContentEntry {
  /** Unique in the process. Equal in all threads. */
  readonly id: number;
  readonly name: string;
  /** Null if it could not be loaded at the start, and for a preview. */
  readonly content: Content | null;
  /** Only of a preview. */
  readonly preview?: Preview;
  /** Only of a content that follows a source, in the thread that reads it. It cannot be changed by hand. */
  readonly source?: ContentSource;
  /** Why it could not be loaded, or null. */
  readonly error: string | null;
  /** How it was put. Null for a content that is given at the start. */
  readonly put: PutContent | null;
  /** When a request last chose it, in milliseconds since 1970; 0 before the first. Shared by all threads. */
  readonly lastUse: Float64Array;
  /** Random. The cookie of a browser that was let into a preview holds it. Equal in all threads. */
  readonly browserKey: string;
}

let created = 0;

/** Creates an entry of a content that no request has chosen yet. */
export function createEntry(parts: Omit<ContentEntry, 'id' | 'lastUse' | 'browserKey'>): ContentEntry {
  const lastUse = new Float64Array(new SharedArrayBuffer(8));
  return { ...parts, id: ++created, lastUse, browserKey: randomBytes(32).toString('base64url') };
}

/**
 * A change of the registry: a name has a new entry, or an entry another snapshot; a batch was applied to a content;
 * another version is pinned, or none; a name is gone.
 */
export type ContentsChange =
  | { readonly kind: 'set'; readonly entry: ContentEntry }
  | { readonly kind: 'apply'; readonly entry: ContentEntry; readonly change: MadeChange }
  | { readonly kind: 'pin'; readonly entry: ContentEntry }
  | { readonly kind: 'delete'; readonly name: string };

/** Takes a change. Returns when it is made everywhere. */
type ContentsListener = (change: ContentsChange) => void | Promise<void>;

/** The content for a request. */
export interface ChosenContent {
  readonly entry: ContentEntry;
  /** The URL below the path of the content. */
  readonly url: string;
  /** Whether the URL began with the path of the content, which is cut off. */
  readonly isCut: boolean;
}

/** The contents of a process, and which of them answers a request. The first one answers requests that name none. */
export class Contents {
  readonly #byName = new Map<string, ContentEntry>();
  /** A dot and the domain of the contents that are put, or null. */
  readonly #domain: string | null;
  readonly #listeners: ContentsListener[] = [];
  readonly #settledListeners: ((change: ContentsChange) => void)[] = [];

  /** `first` cannot be removed. `domain` is the setting `contents.domain`. */
  constructor(first: ContentEntry, domain?: string) {
    this.#domain = domain === undefined ? null : `.${domain}`;
    this.#byName.set(first.name, first);
  }

  get first(): ContentEntry {
    const [first] = this.#byName.values();
    return first;
  }

  get all(): ContentEntry[] {
    return [...this.#byName.values()];
  }

  get(name: string): ContentEntry | undefined {
    return this.#byName.get(name);
  }

  /** How fresh each content is that follows a source, with its name. */
  get freshness(): (readonly [name: string, freshness: Freshness])[] {
    return this.all.flatMap(({ name, source }) => (source ? [[name, source.freshness] as const] : []));
  }

  /** The host below the domain that chooses a content that was put. Null for other contents, and without a domain. */
  hostOf({ name, put }: ContentEntry): string | null {
    return put && this.#domain && `${name}${this.#domain}`;
  }

  /** The names of the previews that are based on a content. */
  previewsOf(name: string): string[] {
    return this.all.filter(({ put }) => put?.preview?.base === name).map((entry) => entry.name);
  }

  /** Whether a path, without its leading slash, is a route of the first content, because the prefix is empty. */
  hidesRoute(path: string): boolean {
    const { content } = this.first;
    return content !== null && content.prefix === '' && content.hasRoute(path);
  }

  /**
   * Adds a content, or replaces the one of its name: here at once, and in every other thread when the result resolves.
   * Requests in progress end on the earlier one.
   */
  set(entry: ContentEntry): Promise<void> {
    this.#byName.set(entry.name, entry);
    return this.#changed({ kind: 'set', entry });
  }

  /** Removes a content: here at once, and in every other thread when the result resolves. */
  delete(name: string): Promise<void> {
    this.#byName.delete(name);
    return this.#changed({ kind: 'delete', name });
  }

  /** Reports that the content of an entry serves another snapshot, unless the entry is gone. */
  async update(entry: ContentEntry): Promise<void> {
    if (this.#byName.get(entry.name) === entry) await this.#changed({ kind: 'set', entry });
  }

  /** Makes a change in every other thread. Returns when it is served there. Does nothing if the entry is gone. */
  async apply(entry: ContentEntry, change: MadeChange): Promise<void> {
    if (this.#byName.get(entry.name) === entry) await this.#changed({ kind: 'apply', entry, change });
  }

  /**
   * Serves the version that the content of an entry serves in every other thread. Does nothing if the entry is gone.
   */
  async pin(entry: ContentEntry): Promise<void> {
    if (this.#byName.get(entry.name) === entry) await this.#changed({ kind: 'pin', entry });
  }

  onChange(listener: ContentsListener): void {
    this.#listeners.push(listener);
  }

  /** The listener is called when a change is made everywhere. */
  onSettled(listener: (change: ContentsChange) => void): void {
    this.#settledListeners.push(listener);
  }

  /**
   * Chooses by host, or else by the first segment of the path. `host` is the header, `url` has no origin. Returns the
   * first content if neither names one. A content that was put takes no request of those that were given at the start.
   */
  choose(host: string | undefined, url: string): ChosenContent {
    const entry = host === undefined ? undefined : this.#byHostHeader(host);
    if (entry) return { entry, url, isCut: false };
    const end = endOfSegment(url);
    const named = this.#byName.get(url.slice(1, end));
    if (!named || (named.put && this.hidesRoute(url.slice(1)))) return { entry: this.first, url, isCut: false };
    return { entry: named, url: url[end] === '/' ? url.slice(end) : `/${url.slice(end)}`, isCut: true };
  }

  #byHostHeader(header: string): ContentEntry | undefined {
    const host = header.replace(/\.?(?::\d*)?$/, '').toLowerCase();
    return this.#putBy(host) ?? this.#givenBy(host);
  }

  /**
   * Returns the content given at the start whose name is the first label of a host. An address has no labels. A content
   * that was put is never chosen like this, so that it cannot take the hosts of a site.
   */
  #givenBy(host: string): ContentEntry | undefined {
    const dot = host.indexOf('.');
    const entry = dot > 0 ? this.#byName.get(host.slice(0, dot)) : undefined;
    return entry && !entry.put && isIP(host) === 0 ? entry : undefined;
  }

  /** Returns the content that was put whose name is the label before the domain. Hosts below that one are its own. */
  #putBy(host: string): ContentEntry | undefined {
    if (this.#domain === null || !host.endsWith(this.#domain)) return;
    const end = host.length - this.#domain.length;
    const entry = this.#byName.get(host.slice(host.lastIndexOf('.', end - 1) + 1, end));
    return entry?.put ? entry : undefined;
  }

  async #changed(change: ContentsChange): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(change)));
    for (const listener of this.#settledListeners) listener(change);
  }
}

/** Returns where the first segment of a path ends: at a slash, at the query string, or at the end. */
function endOfSegment(url: string): number {
  for (let i = 1; i < url.length; i++) {
    const character = url[i];
    if (character === '/' || character === '?') return i;
  }
  return url.length;
}
