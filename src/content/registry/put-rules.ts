import { conflict, RequestError, SnapshotError, ValidationError } from '../../core/errors.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { ContentEntry, Contents } from './contents.ts';
import { nameProblem } from './given-contents.ts';
import type { PutContent } from './put-content.ts';

/** Decides which contents can be put into a registry, and which can be deleted from it. */
export class PutRules {
  readonly #contents: Contents;
  readonly #prefix: string;
  readonly #most: number;

  /** `most` is the maximum number of contents. */
  constructor(contents: Contents, prefix: string, most: number) {
    this.#contents = contents;
    this.#prefix = prefix;
    this.#most = most;
  }

  /** Throws a RequestError if no content can be put under this name now. */
  checkName(name: string): void {
    if (this.#isGiven(name)) {
      throw conflict(`"${name}" is given at the start of the server: replace its snapshot and reload (POST /_reload)`);
    }
    const problem = this.nameProblem(name);
    if (problem !== null) throw new ValidationError(problem);
    this.checkCount(name);
  }

  /** Throws a RequestError if the name is new and there are as many contents as the settings allow. */
  checkCount(name: string): void {
    if (this.#contents.get(name) || this.#contents.all.length < this.#most) return;
    throw conflict(`There are ${this.#most} contents already: delete one first, or raise contents.most`);
  }

  /** Throws a RequestError for a preview of nothing or of another preview, and for one in place of a base. */
  checkBase({ name, preview }: PutContent): void {
    if (!preview) return;
    const base = this.#contents.get(preview.base);
    const wrong = (reason: string) => new ValidationError(`base: ${reason}`, { path: ['base'] });
    if (!base) throw wrong(`there is no content "${preview.base}"`);
    if (base.name === name) throw wrong('a preview cannot be its own base');
    if (base.preview) throw wrong(`"${base.name}" is a preview itself`);
    const previews = this.#contents.previewsOf(name);
    if (previews.length > 0)
      throw conflict(`"${name}" is the base of previews (${previews.join(', ')}): delete them first`);
  }

  /** Throws a RequestError for the first content and for the base of previews, which cannot be deleted. */
  checkDeletion(entry: ContentEntry): void {
    const { name } = entry;
    if (entry === this.#contents.first) {
      throw conflict(`"${name}" is the first content, which answers requests that name none: it cannot be deleted`);
    }
    const previews = this.#contents.previewsOf(name);
    if (previews.length > 0)
      throw conflict(`"${name}" is the base of previews (${previews.join(', ')}): delete them first`);
  }

  /** Returns why a content of this name would take requests from contents given at the start, or null. */
  nameProblem(name: string): string | null {
    if (this.#isGiven(name)) return `"${name}" is also given at the start`;
    if (!this.#contents.hidesRoute(name)) return nameProblem(name, this.#prefix);
    return `"${name}" cannot name a content: it is a route of "${this.#contents.first.name}"`;
  }

  /** Whether a content of this name is given at the start. */
  #isGiven(name: string): boolean {
    const entry = this.#contents.get(name);
    return entry !== undefined && entry.put === null;
  }
}

/** Throws the reply to a failed change: 422 for a snapshot that does not load, 507 for a full disk. */
export function asRequestError(error: unknown): never {
  if (error instanceof SnapshotError) {
    const { message, problems, count } = error;
    throw new RequestError(422, 'SnapshotError', message, { problems, count });
  }
  if (error instanceof ConfigError) throw new RequestError(422, 'ConfigError', error.message);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    throw new RequestError(507, 'InsufficientStorageError', 'The disk of contents.folder is full');
  }
  throw error;
}
