import type { Content } from '../../content/content.ts';
import type { Preview } from '../../content/previews/preview.ts';
import { viewerToken } from '../../content/previews/viewer.ts';
import { ForbiddenError, RequestError } from '../../core/errors.ts';
import { Codings } from '../../http/codings.ts';
import type { RequestParts } from '../../http/content-handler.ts';
import { Authenticator } from '../../model/access/authenticate.ts';
import { noCredentials } from '../../model/access/credentials.ts';
import { errorReply, type Reply } from '../../query/reply/reply.ts';
import type { ServerContent } from './server-content.ts';

/** The contents of a preview as the server uses them, one after the other. */
interface PreviewContents extends Pick<ServerContent, 'hasUploads' | 'callerName'> {
  /**
   * Takes what `Preview.whenOpen` gives: the content, or the error that its users throw. `isForViewers`: the pages are for
   * browsers that were let in, which read everything.
   */
  of(opened: Content | Error, isForViewers: boolean): ServerContent;
}

export function previewContents(preview: Preview): PreviewContents {
  const { settings, put, given } = preview;
  const authenticator = new Authenticator(settings);
  const callerName = (authorization?: string) => authenticator.nameOf(authorization, noCredentials);
  // the files are those of the base
  const hasUploads = Boolean(given.uploads);
  const codings = given.compression ? new Codings(0) : null;
  return { hasUploads, callerName, of };

  function of(opened: Content | Error, isForViewers: boolean): ServerContent {
    const ofPages = isForViewers ? `Bearer ${viewerToken}` : undefined;
    /** Hides why there is no content from callers without the token, because the reason quotes the changes. */
    const contentFor = (authorization?: string): Content => {
      if (!(opened instanceof Error)) return opened;
      const isHidden = put.preview.sha256 !== null && callerName(authorization) === null;
      throw isHidden && opened instanceof RequestError ? new ForbiddenError() : opened;
    };
    const answerWith = ({ authorization }: RequestParts, answer: (content: Content) => Reply | Promise<Reply>) => {
      try {
        return answer(contentFor(authorization));
      } catch (error) {
        if (error instanceof RequestError) return errorReply(error);
        throw error;
      }
    };
    return {
      prefix: settings.prefix,
      codings,
      callerName,
      answerPath: (path, options) => answerWith(options, (content) => content.answerPath(path, options)),
      answerOpenApi: (base, options) => answerWith(options, (content) => content.answerOpenApi(base, options)),
      answerExplain: (url, options) => answerWith(options, (content) => content.answerExplain(url, options)),
      answerSchema: (name, options) => answerWith(options, (content) => content.answerSchema(name, options)),
      get explorer() {
        if (opened instanceof Error) return settings.explorer ? { images: [] } : null;
        return opened.explorer;
      },
      explain: (url) => contentFor(ofPages).explain(url),
      find: (name, query, caller) => contentFor(ofPages).find(name, query, isForViewers ? {} : caller),
      hasRoute: (path) => contentFor(ofPages).hasRoute(path),
      nearestRoute: (path) => contentFor(ofPages).nearestRoute(path),
      describeSchema: (caller) => contentFor(ofPages).describeSchema(isForViewers ? {} : caller),
      get summary() {
        return contentFor(ofPages).summary;
      },
      hasUploads,
      uploads: () => (request, response, next) => preview.base.uploads()(request, response, next),
    };
  }
}
