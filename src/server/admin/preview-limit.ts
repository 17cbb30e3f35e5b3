/** What a token that has the right `previews`, and not the right for all contents, may do on a route that takes both. */
import type { Response } from 'express';
import type { ChangeWriter } from '../../content/live/change-writer.ts';
import { isPreview } from '../../content/previews/made-preview.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview as quoted } from '../../core/problems.ts';

/** What takes the changes of a content. */
export type ChangeTarget = Pick<ChangeWriter, 'change' | 'waiting'>;

/** Users, their roles and the permissions of roles. */
const accessTypes = 'plugin::users-permissions.';

export class PreviewLimit {
  readonly #isLimited: boolean;

  /** `response` is that of a request whose token was authorized. */
  constructor({ locals }: Response) {
    this.#isLimited = locals.isLimitedToPreviews === true;
  }

  /** Limits the handler of a route. */
  static set({ locals }: Response): void {
    locals.isLimitedToPreviews = true;
  }

  shows({ put }: ContentEntry): boolean {
    return !this.#isLimited || isPreview(put);
  }

  /** Throws a ForbiddenError for a content that the token may not read or change. */
  checkEntry(entry: ContentEntry): void {
    if (this.shows(entry)) return;
    throw forbidden(`"${entry.name}" is not a preview`);
  }

  /** As `checkEntry`. A name without an entry may still be that of a stored content. Throws a NotFoundError for it. */
  checkDeletion(entry: ContentEntry | undefined, name: string): void {
    if (entry) return this.checkEntry(entry);
    if (this.#isLimited) throw new NotFoundError(`There is no preview "${name}"`);
  }

  /** Throws a ForbiddenError that names the first change of a user, role or permission. Other mistakes are found later. */
  checkChanges(changes: unknown): void {
    if (!this.#isLimited || !Array.isArray(changes)) return;
    for (const [i, change] of changes.entries()) {
      if (!isPlainObject(change)) continue;
      const type = [change.upsert, change.patch, change.delete].find(isOfAccess);
      if (type !== undefined) throw forbidden(`changes[${i}] changes a user, role or permission (${quoted(type)})`);
    }
  }

  /** Returns a target that takes no changes which `checkChanges` refuses. */
  guard(target: ChangeTarget): ChangeTarget {
    if (!this.#isLimited) return target;
    const change: ChangeTarget['change'] = async (request, key) => {
      this.checkChanges(request.given);
      return target.change(request, key);
    };
    return { change, waiting: target.waiting };
  }

  /** As `checkChanges`, for what else is put with a preview, or for another content than a preview. */
  checkPut(kind: 'path' | 'body' | 'preview', tokens: readonly unknown[]): void {
    if (!this.#isLimited) return;
    if (kind !== 'preview') throw forbidden('the body is a content of its own, without "base"');
    if (tokens.length > 0) throw forbidden('"tokens" lets further tokens read');
  }
}

function isOfAccess(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith(accessTypes);
}

function forbidden(reason: string): ForbiddenError {
  return new ForbiddenError(`Not with the right "previews" alone (admin.tokens): ${reason}`);
}
