/** Routes of the admin port that bring new content: changes, reloads, and webhooks of a Strapi. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { batchLimits } from '../../changes/batch/batch.ts';
import {
  asChangeError,
  type ChangeAnswer,
  type RequestKey,
  readChangeRequest,
} from '../../content/live/change-request.ts';
import type { ChangesOfJournal } from '../../content/live/change-writer.ts';
import { publishedElsewhere } from '../../content/registry/content-source.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import { type PluginPost, pluginPostOf } from '../../content/registry/plugin-post.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import {
  ForbiddenError,
  NotFoundError,
  RequestError,
  SnapshotError,
  UnauthorizedError,
  ValidationError,
} from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview } from '../../core/problems.ts';
import { unavailable } from '../../http/error-replies.ts';
import { readQueryParameter, readQueryParameters } from '../../http/query-parameter.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { Reloads } from '../reloads.ts';
import type { AdminRoute } from './admin-routes.ts';
import { heldBytesOf, type ImportAnswer, importChanges, isImport } from './import-changes.ts';
import { type ChangeTarget, PreviewLimit } from './preview-limit.ts';
import {
  contentOfName,
  HeldBodies,
  namedContent,
  parseJsonInTurns,
  readBytesOnly,
  readJsonOnly,
} from './read-request.ts';

const maxKeyLength = 255;

/** Maximum bytes of the bodies with changes that are read, or wait, at the same time. */
const maxHeldBytes = 4 * batchLimits.bytes;

/**
 * Applies changes to the content of the query parameter `content`, by default the first one, and answers when every
 * thread serves them. `served` returns null while the first content is being loaded.
 */
export function changesRoute(served: () => ServedContents | null): AdminRoute {
  const bodies = new HeldBodies(maxHeldBytes);
  const handle: RequestHandler = async (request, response) => {
    try {
      const ofImport = isImport(request);
      const { content, lines } = readParameters(request.url, ofImport);
      const changes = changesOf(served(), content, new PreviewLimit(response));
      const key = readKey(request);
      const answer = await changes.waiting.run(() =>
        bodies.run(async (hold): Promise<ChangeAnswer | ImportAnswer> => {
          if (ofImport) {
            hold(heldBytesOf(request));
            return importChanges(request, changes, { key, lines });
          }
          const hash = key === null ? null : createHash('sha256');
          const body = await readJsonOnly(request, {
            maxBytes: batchLimits.bytes,
            large: ['changes', 'batch'],
            onPiece: (piece) => hash?.update(piece),
            hold,
          });
          const requestKey = hash && { key: key!, digest: hash.digest('hex') };
          return changes.change(readChangeRequest(body), requestKey);
        }),
      );
      response.json(answer);
    } catch (error) {
      throw asChangeError(error);
    }
  };
  return { method: 'post', path: '/_changes', right: 'changes', takesPreviews: true, handle };
}

function readParameters(url: string, ofImport: boolean): { content: string | null; lines: number } {
  if (!ofImport) return { content: readQueryParameter(url, 'content'), lines: 0 };
  const { content, lines = null } = readQueryParameters(url, ['content', 'lines']);
  const count = lines === null ? batchLimits.entities : Number(lines);
  if (Number.isInteger(count) && count >= 1 && count <= batchLimits.entities) return { content, lines: count };
  throw new ValidationError(`query: lines must be a number from 1 to ${batchLimits.entities}, is ${preview(lines)}`);
}

function changesOf(served: ServedContents | null, name: string | null, limit: PreviewLimit): ChangeTarget {
  const { live, stored, entry } = contentOfName(served, name);
  limit.checkEntry(entry);
  if (entry.preview) return limit.guard(stored!.updatesOf(entry, entry.preview));
  if (entry.source) throw new RequestError(409, 'ConflictError', followed(entry));
  const changes = live!.of(entry);
  if (!changes) throw unavailable(`The content "${entry.name}" could not be loaded`);
  return changes;
}

function followed({ name, source }: ContentEntry): string {
  const publication = source?.publication;
  if (publication !== undefined) return publishedElsewhere(name, publication, 'change it');
  return `The content "${name}" follows a Strapi, and takes no other changes: make them there, or in a preview`;
}

export function readKey({ headers }: IncomingMessage): RequestKey['key'] | null {
  const key = headers['idempotency-key'] as string | undefined;
  if (key === undefined) return null;
  if (key.length >= 1 && key.length <= maxKeyLength) return key;
  throw new ValidationError(`The Idempotency-Key has ${key.length} characters: send 1 to ${maxKeyLength}`);
}

/**
 * Loads the snapshot again and answers when it is served. A snapshot that does not load is a 422. `?changes=discard` begins
 * the journal of the first content anew, and `?changes=replay` with those of its changes that fit.
 */
export function reloadRoute(reloads: Reloads): AdminRoute {
  return {
    method: 'post',
    path: '/_reload',
    right: 'reload',
    handle: async (request, response) => {
      const changes = readChanges(request.url);
      const busy = reloads.busy;
      if (busy !== null) throw new RequestError(409, 'ConflictError', busy);
      response.json(await reloads.run('request', { changes }).catch(asReloadError));
    },
  };
}

/** Reads `?changes=discard` and `?changes=replay`. */
function readChanges(url: string): ChangesOfJournal | undefined {
  const changes = readQueryParameter(url, 'changes') ?? undefined;
  if (changes === undefined || changes === 'discard' || changes === 'replay') return changes;
  throw new ValidationError(`query: changes must be discard or replay, is ${preview(changes)}`);
}

function asReloadError(error: unknown): never {
  if (error instanceof SnapshotError) {
    const { message, problems, count } = error;
    throw new RequestError(422, 'SnapshotError', message, { problems, count });
  }
  if (error instanceof ConfigError) throw new RequestError(422, 'ConfigError', error.message);
  if (error instanceof RequestError) throw error;
  throw new RequestError(
    500,
    'InternalServerError',
    'The reload failed, and the old content is still served: see the log',
  );
}

/** Maximum size of a webhook. Strapi sends whole entries, with all that they populate. */
const maxHookBytes = 2 ** 20;
/** Maximum bytes of signed bodies that are read, or wait, at the same time. Anybody can send them. */
const maxHeldHookBytes = 8 * maxHookBytes;
const signatureHeader = 'x-lectern-signature';

/**
 * Takes webhooks of Strapi and posts of its plugin as a sign that the source of the content of the query parameter
 * `content`, by default the first one, has changed. Their entries are never served: the source is read instead, after the
 * reply. A request with a signature needs no token, and is checked against `secret`. `served` returns null while the first
 * content is being loaded.
 */
export function hooksRoute(served: () => ServedContents | null, secret: string | undefined): AdminRoute {
  const bodies = new HeldBodies(maxHeldHookBytes);
  return {
    method: 'post',
    path: '/_hooks/strapi',
    right: 'hooks',
    signedBy: signatureHeader,
    handle: async (request, response) => {
      const signature = request.headers[signatureHeader];
      const post = signature === undefined ? null : await readPost(request, String(signature), secret, bodies);
      const { entry } = namedContent(served(), request.url);
      const { source } = entry;
      if (!source) throw new NotFoundError(`The content "${entry.name}" does not follow a source`);
      const body = post ?? (await readJsonOnly(request, { maxBytes: maxHookBytes }));
      if (!isPlainObject(body)) throw new ValidationError(`body: must be an object, is ${preview(body)}`);
      source.hint(body);
      response.status(204).end();
    },
  };
}

/** Reads a signed body. The signature is checked before the body is parsed. */
async function readPost(
  request: IncomingMessage,
  signature: string,
  secret: string | undefined,
  bodies: HeldBodies,
): Promise<PluginPost> {
  if (secret === undefined) throw new ForbiddenError(noSecret);
  const bytes = await bodies.run((hold) => readBytesOnly(request, { maxBytes: maxHookBytes, hold }));
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new UnauthorizedError(wrongSignature);
  const post = pluginPostOf(await parseJsonInTurns(bytes, 'body'));
  if (!post) throw new ValidationError('body: must be a post of strapi-plugin-lectern, of the same version as Lectern');
  return post;
}

const noSecret = 'Posts of strapi-plugin-lectern need the setting follow.secret';
const wrongSignature =
  'X-Lectern-Signature must be sha256= and the HMAC-SHA256 of the body by follow.secret, in hexadecimal digits';
