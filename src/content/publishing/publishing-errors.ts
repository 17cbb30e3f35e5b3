import { RequestError } from '../../core/errors.ts';

/** Errors of changes that cannot be published. Whoever asked for them gets them as they are. */

/** 409: another process has published a change meanwhile. Nothing of this one is published or served. */
export class PublicationRefused extends RequestError {
  constructor(name: string, version: string) {
    const message = `Another publisher of ${name} came before: the change ${version} is not applied. Send it again`;
    super(409, 'ConflictError', message, { version });
  }
}

/** 409: the content and what is published have no log in common, and who may publish is for people to decide. */
export class PublicationApart extends RequestError {
  constructor(message: string) {
    super(409, 'ConflictError', message);
  }
}

/** 503: the publication does not answer. Nothing is served. */
export class Unpublished extends RequestError {
  /** Whether the change may be in the log all the same. It is looked for before any other is published. */
  readonly mayBePublished: boolean;

  constructor(name: string, reason: string, mayBePublished: boolean, cause?: Error) {
    const outcome = mayBePublished ? 'are not served, but may be published' : 'are not applied';
    super(503, 'ServiceUnavailableError', `The changes ${outcome}: ${name}: ${reason}`);
    this.mayBePublished = mayBePublished;
    this.cause = cause;
  }
}
