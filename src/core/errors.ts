/** Errors that users see: rejected requests, snapshots that fail to load and failing extensions. */

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A rejected request. `toBody` returns the JSON body of the error response. */
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

/** 400: the query is invalid or names something that the caller may not use. */
export class ValidationError extends RequestError {
  constructor(message: string, details: object = {}) {
    super(400, 'ValidationError', message, details);
  }
}

/** Returns a 400 for an exceeded limit. The message and `details` name the setting and its value. */
export function limitExceeded(message: string, limit: number, setting: string, location: object = {}): ValidationError {
  return new ValidationError(`${message} (${setting})`, { limit, setting, ...location });
}

/** Returns a 400 for an exceeded budget. The message ends with advice. */
export function budgetExceeded(message: string, limit: number, setting: string, advice: string): ValidationError {
  return new ValidationError(`${message} (${setting}): ${advice}`, { limit, setting });
}

/** 414: the query string is too long. Its length is checked before it is parsed. */
export class UriTooLongError extends RequestError {
  constructor(message: string, limit: number, setting: string) {
    super(414, 'UriTooLongError', `${message} (${setting})`, { limit, setting });
  }
}

/** 400: the query mixes page-based and offset-based pagination. */
export class PaginationError extends RequestError {
  constructor(message: string, details: object = {}) {
    super(400, 'PaginationError', message, details);
  }
}

/** 401: the token or its user is unknown, expired or blocked. */
export class UnauthorizedError extends RequestError {
  constructor(message: string) {
    super(401, 'UnauthorizedError', message);
  }
}

/** The permission that a 403 requires. */
export interface MissingPermission {
  readonly role: string;
  readonly action: string;
}

/** 403: the caller lacks a permission. */
export class ForbiddenError extends RequestError {
  /** For the log and for callers with full access. The response body never contains it. */
  readonly missing?: MissingPermission;

  constructor(message = 'Forbidden', missing?: MissingPermission, details: object = {}) {
    super(403, 'ForbiddenError', message, details);
    this.missing = missing;
  }
}

/** Returns the error for a caller with full access: the message of a 403 names the missing permission. */
export function withMissingPermission(error: unknown): unknown {
  if (!(error instanceof ForbiddenError) || !error.missing) return error;
  const { role, action } = error.missing;
  return new ForbiddenError(`Forbidden: the role "${role}" lacks the permission "${action}"`, error.missing, {
    role,
    action,
  });
}

/** 404: the route or document does not exist. */
export class NotFoundError extends RequestError {
  constructor(message = 'Not Found') {
    super(404, 'NotFoundError', message);
  }
}

/** 404: the path leads to no route. */
export class UnknownRouteError extends NotFoundError {
  /** Finds the path below the prefix of the nearest route that the caller may read, or null. */
  readonly nearest: () => string | null;

  constructor(nearest: () => string | null = () => null) {
    super();
    this.nearest = nearest;
  }
}

/** 405: the method is not a read. */
export class MethodNotAllowedError extends RequestError {
  constructor(method: string) {
    super(405, 'MethodNotAllowedError', `Method ${method} is not allowed: this service only reads`);
  }
}

/**
 * Returns the error for a name that does not exist or that the caller may not use. For an unknown name, `path` is the
 * path of its parent (null at the root). For a forbidden name, `path` is its own path.
 */
export function invalidKey(param: string, key: string, path: string | null): ValidationError {
  const details = { key, path, source: 'query', param };
  return new ValidationError(`Invalid key ${key}${path === null || path === key ? '' : ` at ${path}`}`, details);
}

/**
 * A snapshot that fails to load, or a batch of changes that is not applied. `problems` lists the first messages. `count`
 * is the number of all problems.
 */
export class SnapshotError extends Error {
  readonly problems: readonly string[];
  readonly count: number;

  constructor(problems: readonly string[], count = problems.length, subject: 'snapshot' | 'batch' = 'snapshot') {
    const more = count > problems.length ? `\n  … and ${count - problems.length} more` : '';
    super(`the ${subject} has ${count} ${count === 1 ? 'problem' : 'problems'}:\n  ${problems.join('\n  ')}${more}`);
    this.name = 'SnapshotError';
    this.problems = problems;
    this.count = count;
  }
}

/** The source of a snapshot cannot be reached, or cannot be read now, because Strapi is being started. It may be later. */
export class SourceAwayError extends SnapshotError {}

/** The source does not answer, and asking it again costs next to nothing: it is asked again soon. */
export class SilentSourceError extends SourceAwayError {}

/** The source has no content yet. A start waits until it has. */
export class UnpublishedError extends SilentSourceError {}

/** A failing hook or handler of an extension. The message is logged. The caller receives a plain 500. */
export class ExtensionError extends Error {
  override readonly name: string = 'ExtensionError';

  /** `thrown` is the value that the extension threw. If it is an Error, its stack replaces this one. */
  constructor(message: string, thrown?: unknown) {
    super(message);
    const frames = thrown instanceof Error ? thrown.stack?.match(/\n {4}at .*/s)?.[0] : undefined;
    if (frames) this.stack = `${this.name}: ${message}${frames}`;
  }
}

/** Returns a 409: the state of the content forbids the request. */
export function conflict(message: string, details?: object): RequestError {
  return new RequestError(409, 'ConflictError', message, details);
}
