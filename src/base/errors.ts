/** What may be thrown at a user: a request that is refused, or a snapshot that cannot be served. */

/** A request that is answered with an error. `toBody` is the JSON that the caller gets. */
export class RequestError extends Error {
  readonly status: number;
  readonly details: object;

  constructor(status: number, name: string, message: string, details: object = {}) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
  }

  toBody(): object {
    const { status, name, message, details } = this;
    return { data: null, error: { status, name, message, details } };
  }
}

/** 400: the query has no meaning, or asks for what the caller may not name. */
export class ValidationError extends RequestError {
  constructor(message: string, details: object = {}) {
    super(400, 'ValidationError', message, details);
  }
}

/** 400: a limit is passed. The message and `details` name the setting and its value. */
export function passedLimit(message: string, limit: number, setting: string, place: object = {}): ValidationError {
  return new ValidationError(`${message} (${setting})`, { limit, setting, ...place });
}

/** 414: the query string alone is refused for its length, before it is read. */
export class UriTooLongError extends RequestError {
  constructor(message: string, limit: number, setting: string) {
    super(414, 'UriTooLongError', `${message} (${setting})`, { limit, setting });
  }
}

/** 400: page and offset parameters mixed. */
export class PaginationError extends RequestError {
  constructor(message: string, details: object = {}) {
    super(400, 'PaginationError', message, details);
  }
}

/** 401: a token or its user is not known, or no longer good. */
export class UnauthorizedError extends RequestError {
  constructor(message: string) {
    super(401, 'UnauthorizedError', message);
  }
}

/** A permission that a role would need. */
export interface MissingPermission {
  readonly role: string;
  readonly action: string;
}

/** 403: the caller is known and may not do this. */
export class ForbiddenError extends RequestError {
  /** For the log and for programs with full access. It is no part of the body. */
  readonly missing?: MissingPermission;

  constructor(message = 'Forbidden', missing?: MissingPermission, details: object = {}) {
    super(403, 'ForbiddenError', message, details);
    this.missing = missing;
  }
}

/** The same error for a reader with full access: a 403 names the missing permission. */
export function withMissingPermission(error: unknown): unknown {
  if (!(error instanceof ForbiddenError) || !error.missing) return error;
  const { role, action } = error.missing;
  return new ForbiddenError(`Forbidden: the role "${role}" lacks the permission "${action}"`, error.missing, {
    role,
    action,
  });
}

/** 404: no such route or document. */
export class NotFoundError extends RequestError {
  constructor(message = 'Not Found') {
    super(404, 'NotFoundError', message);
  }
}

/** 405: a method that does not read. */
export class MethodNotAllowedError extends RequestError {
  constructor(method: string) {
    super(405, 'MethodNotAllowedError', `Method ${method} is not allowed: this service only reads`);
  }
}

/**
 * The refusal of a name that does not exist, or that the caller may not use. `path` is where it stands: that of the
 * parent for a name that does not exist (null at the root), the name's own for one that may not be used.
 */
export function invalidKey(param: string, key: string, path: string | null): ValidationError {
  const place = { key, path, source: 'query', param };
  return new ValidationError(`Invalid key ${key}${path === null || path === key ? '' : ` at ${path}`}`, place);
}

/** A snapshot that cannot be served. `problems` are the first ones, in words; `count` is how many there are. */
export class SnapshotError extends Error {
  readonly problems: readonly string[];
  readonly count: number;

  constructor(problems: readonly string[], count = problems.length) {
    const more = count > problems.length ? `\n  … and ${count - problems.length} more` : '';
    super(`the snapshot has ${count} ${count === 1 ? 'problem' : 'problems'}:\n  ${problems.join('\n  ')}${more}`);
    this.name = 'SnapshotError';
    this.problems = problems;
    this.count = count;
  }
}

/** A hook or a handler of an extension that failed. Its text is for the log, not for the caller, who gets a 500. */
export class ExtensionError extends Error {
  override readonly name: string = 'ExtensionError';

  /** `thrown` is what the extension threw, and then the stack is its own. */
  constructor(message: string, thrown?: unknown) {
    super(message);
    const frames = thrown instanceof Error ? thrown.stack?.match(/\n {4}at .*/s)?.[0] : undefined;
    if (frames) this.stack = `${this.name}: ${message}${frames}`;
  }
}
