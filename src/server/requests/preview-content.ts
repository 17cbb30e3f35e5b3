import type { Content } from '../../content/content.ts';
import type { Preview } from '../../content/previews/preview.ts';
import { ForbiddenError, RequestError } from '../../core/errors.ts';
import { Codings } from '../../http/codings.ts';
import { Authenticator } from '../../model/access/authenticate.ts';
import { noCredentials } from '../../model/access/stored-credentials.ts';
import { errorReply } from '../../query/reply/reply.ts';
import type { ServerContent } from './server-content.ts';

/** Returns the content of a preview for the server, to be asked within `Preview.whenOpen`. */
export function previewContent(preview: Preview): ServerContent {
  const { settings, put, given } = preview;
  const authenticator = new Authenticator(settings);
  const callerName = (authorization?: string) => authenticator.nameOf(authorization, noCredentials);
  /** Only readers who have the token may know why there is no content, because that quotes the changes. */
  const contentFor = (authorization?: string): Content => {
    try {
      return preview.content;
    } catch (error) {
      const isHidden = put.preview.sha256 !== null && callerName(authorization) === null;
      throw isHidden && error instanceof RequestError ? new ForbiddenError() : error;
    }
  };
  return {
    prefix: settings.prefix,
    codings: given.compression ? new Codings(0) : null,
    callerName,
    answerPath: (path, options) => {
      try {
        return contentFor(options.authorization).answerPath(path, options);
      } catch (error) {
        if (error instanceof RequestError) return errorReply(error);
        throw error;
      }
    },
    explain: (url) => contentFor().explain(url),
    find: (...query) => contentFor().find(...query),
    hasRoute: (path) => contentFor().hasRoute(path),
    nearestRoute: (path) => contentFor().nearestRoute(path),
    schemaOverview: () => contentFor().schemaOverview(),
    get summary() {
      return contentFor().summary;
    },
    // the files are those of the base
    hasUploads: Boolean(given.uploads),
    uploads: () => (request, response, next) => preview.base.uploads()(request, response, next),
  };
}
