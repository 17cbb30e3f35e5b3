import { MethodNotAllowedError, UnauthorizedError, UnknownRouteError } from '../../core/errors.ts';
import type { CustomAnswers } from '../../engine/additions/custom-routes.ts';
import type { Format } from '../../engine/bound-request.ts';
import { callerOf } from '../../engine/library-reads.ts';
import type { StoreEngine } from '../../engine/store-engine.ts';
import { type Explanation, Trace } from '../../engine/trace.ts';
import type { RequestParts } from '../../http/content-handler.ts';
import { Authenticator } from '../../model/access/authenticate.ts';
import type { Caller } from '../../model/access/permissions.ts';
import type { Settings } from '../../model/settings/config.ts';
import { errorReply, type Reply } from '../../query/reply/reply.ts';
import { explainReply } from './explain-replies.ts';
import { OpenApiReplies } from './openapi-replies.ts';
import { answerAs, hasFullAccess } from './read-as-role.ts';
import { schemaReply } from './schema-replies.ts';
import { formats } from './version.ts';
import type { VersionHistory } from './version-history.ts';

/** Answers paths below the prefix: authenticates the caller, and lets a custom route or the content answer. */
export class Answers {
  readonly authenticator: Authenticator;
  readonly #history: VersionHistory;
  /** Null without custom routes. */
  readonly #custom: CustomAnswers | null;
  readonly #openApi: OpenApiReplies;
  readonly #settings: Pick<Settings, 'openapi' | 'explain' | 'explorer' | 'prefix'>;

  constructor(history: VersionHistory, settings: Settings, custom: CustomAnswers | null) {
    this.#history = history;
    this.authenticator = new Authenticator(settings);
    this.#custom = custom;
    this.#openApi = new OpenApiReplies(settings);
    this.#settings = settings;
  }

  /** Answers `/_openapi.json` below the URL `base`: with the document that the caller may see. */
  answerOpenApi(base: string, options: RequestParts): Reply | Promise<Reply> {
    const { active } = this.#history;
    return this.#answerBeside('openapi', options, active.engine, (caller) =>
      this.#openApi.answer(active, caller, base),
    );
  }

  /** Answers `/_explain`: how a path below the prefix is answered to the caller. */
  answerExplain(path: string, options: RequestParts): Reply | Promise<Reply> {
    const { engine } = this.#history.active;
    return this.#answerBeside('explain', options, engine, (caller, isFull) => {
      if (this.isCustom(path)) throw new UnknownRouteError();
      return explainReply(engine, path, caller, this.#formatOf(options), isFull);
    });
  }

  /** Answers `/_schema.json`: with the schema as the caller sees it. `name` is the content that the request chose. */
  answerSchema(name: string, options: RequestParts): Reply | Promise<Reply> {
    const { active } = this.#history;
    return this.#answerBeside('explorer', options, active.engine, (caller, isFull) =>
      schemaReply(active, caller, isFull, this.#settings, name),
    );
  }

  /** Answers a caller of a route beside the prefix, which a setting may switch off. */
  #answerBeside(
    setting: 'openapi' | 'explain' | 'explorer',
    { authorization, role }: RequestParts,
    engine: StoreEngine,
    answerReader: (caller: Caller, isFull: boolean) => Reply,
  ): Reply | Promise<Reply> {
    const answer = (caller: Caller) => {
      return answerAs(role, caller, engine, (reader) => answerReader(reader, hasFullAccess(caller)));
    };
    try {
      if (!this.#settings[setting]) throw new UnknownRouteError();
      const caller = this.authenticator.authenticate(authorization, engine.access);
      return caller instanceof Promise ? caller.then(answer).catch((error) => errorReply(error)) : answer(caller);
    } catch (error) {
      return errorReply(error);
    }
  }

  #formatOf({ responseFormat }: RequestParts): Format {
    return formats.get(responseFormat?.toLowerCase() ?? '') ?? this.#history.active.format;
  }

  /** Answers a path below the prefix with its query string, such as `articles?sort=title`. */
  answer(path: string, options: RequestParts): Reply | Promise<Reply> {
    const { authorization, method = 'GET', explains, role } = options;
    const { engine } = this.#history.active;
    const format = this.#formatOf(options);
    try {
      if (method !== 'GET' && method !== 'HEAD') throw new MethodNotAllowedError(method);
      const caller = this.authenticator.authenticate(authorization, engine.access);
      // the site's own routes come before those of the content
      const match = this.#custom?.find(path);
      const answer = (known: Caller): Reply | Promise<Reply> => {
        return answerAs(role, known, engine, (reader) => {
          if (match) return this.#custom!.answer(path, match, reader, engine);
          // a plan counts rows that others may not see
          const showsPlan = explains && hasFullAccess(known);
          return showsPlan ? engine.answerExplained(path, reader, format) : engine.answer(path, reader, format);
        });
      };
      return caller instanceof Promise
        ? caller.then(answer).catch((error) => this.#errorReply(path, error))
        : answer(caller);
    } catch (error) {
      return this.#errorReply(path, error);
    }
  }

  /** A route that does not exist is a 404, whatever is wrong with the credentials. */
  #errorReply(path: string, error: unknown): Reply {
    const isUnknown = error instanceof UnauthorizedError && !this.hasRoute(path);
    return errorReply(isUnknown ? new UnknownRouteError() : error);
  }

  /** As `Content.explain`, for a path below the prefix and a role that exists. */
  explain(path: string, role: string | undefined): Explanation {
    const { engine, format } = this.#history.active;
    const custom = this.#custom?.find(path);
    if (custom) {
      return new Trace(0).explanation(200, `custom route ${custom.route.path}`, 0);
    }
    return engine.explain(path, callerOf(engine, role), format);
  }

  /** Whether a custom route answers a path. */
  isCustom(path: string): boolean {
    return this.#custom !== null && this.#custom.find(path) !== null;
  }

  /** Whether a path is a route of the content or of an extension. The entry need not exist. */
  hasRoute(path: string): boolean {
    return this.isCustom(path) || this.#history.active.engine.hasRoute(path);
  }
}
