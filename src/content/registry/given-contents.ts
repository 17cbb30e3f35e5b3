import { existsSync } from 'node:fs';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import type { ContentSource } from './content-source.ts';

/** A content of the command line. */
export interface GivenContent {
  readonly name: string;
  /** The path of its snapshot, or the address of a Strapi. */
  readonly snapshot: string;
  /** Loads it. Default: the snapshot is loaded from its path. */
  readonly load?: () => Promise<LoadedSnapshot>;
  /** The source that it follows. */
  readonly source?: ContentSource;
}

export interface GivenContents {
  readonly contents: readonly GivenContent[];
  /** Whether requests can name a content: false for a single snapshot without a name. */
  readonly areNamed: boolean;
}

/** Whether requests choose a content, because there are names or contents can be put. */
export function areChosen({ areNamed }: GivenContents, { contents }: Pick<Config, 'contents'>): boolean {
  return areNamed || contents.folder !== undefined;
}

/**
 * Reads the arguments of `serve`: one snapshot, or NAME=SNAPSHOT for each content. An argument that is an address or the
 * path of a file or folder is a snapshot without a name, even if it contains `=`. Throws a ConfigError.
 */
export function readGivenContents(texts: readonly string[]): GivenContents {
  const isPath = (text: string) => !text.includes('=') || /^[a-z]+:\/\//i.test(text) || existsSync(text);
  const [first] = texts;
  if (texts.length === 1 && isPath(first)) {
    return { contents: [{ name: defaultName, snapshot: first }], areNamed: false };
  }
  const contents = new Map<string, GivenContent>();
  for (const text of texts) {
    if (isPath(text)) throw new ConfigError(`${text}: one of several snapshots needs a name, such as main=${text}`);
    const end = text.indexOf('=');
    const [name, snapshot] = [text.slice(0, end), text.slice(end + 1)];
    const problem = nameProblem(name, '');
    if (problem !== null) throw new ConfigError(`${text}: ${problem}`);
    if (snapshot === '') throw new ConfigError(`${text}: the path of a snapshot is missing after =`);
    if (contents.has(name)) throw new ConfigError(`${text}: another content has the name "${name}"`);
    contents.set(name, { name, snapshot });
  }
  return { contents: [...contents.values()], areNamed: true };
}

/** Throws a ConfigError if a name is the first part of `prefix`, the path before the routes of content. */
export function checkGivenNames({ contents, areNamed }: GivenContents, prefix: string): void {
  if (!areNamed) return;
  for (const { name, snapshot } of contents) {
    const problem = nameProblem(name, prefix);
    if (problem !== null) throw new ConfigError(`${name}=${snapshot}: ${problem}`);
  }
}

/** The content of a snapshot without a name. */
const defaultName = 'main';

/** A name begins hosts and paths, so it is a label of DNS in lower case. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns why a text cannot name a content, or null. `prefix` is the path before the routes of content. */
export function nameProblem(name: string, prefix: string): string | null {
  if (!label.test(name)) {
    return `${JSON.stringify(name)} cannot name a content: a name has 1 to 63 characters of a-z, 0-9 and -, and neither begins nor ends with -`;
  }
  // capitals do not matter in the prefix
  const [, first] = prefix.toLowerCase().split('/');
  if (name === 'uploads' || name === first) {
    return `"${name}" cannot name a content: the server uses the path /${name}`;
  }
  return null;
}
