import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { z } from 'zod';
import { batchLimits } from '../../changes/batch/batch.ts';
import type { PreviewFacts } from '../../content/previews/made-preview.ts';
import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import type { PutSource } from '../../content/registry/contents-folder.ts';
import {
  type PreviewSource,
  type PutOptions,
  putBody,
  putOptions,
  putPreviewBody,
} from '../../content/registry/put-content.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { loading, unavailable } from '../../http/error-replies.ts';
import { digestOfToken } from '../../model/access/definitions.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { validate } from '../../model/settings/read-config.ts';
import type { AdminRoute } from './admin-routes.ts';
import { PreviewLimit } from './preview-limit.ts';
import { mediaTypeOf, parseJson, readJsonBody } from './read-request.ts';

/**
 * Lists, puts and deletes contents. `served` returns null while the first content is being loaded. `makesPreviews`:
 * this thread makes the previews that requests need.
 */
export function contentsRoutes(served: () => ServedContents | null, makesPreviews: boolean): AdminRoute[] {
  const ready = () => {
    const contents = served();
    if (!contents) throw unavailable(loading);
    return contents;
  };
  const list: RequestHandler = async (_request, response) => {
    const { contents } = ready();
    const limit = new PreviewLimit(response);
    // no request makes them in this thread, and the description says whether a preview fits its base
    if (!makesPreviews) await Promise.allSettled(contents.all.map(({ preview }) => preview?.open()));
    const shown = contents.all.filter((entry) => limit.shows(entry));
    response.json({ contents: shown.map((entry) => describe(entry, contents)) });
  };
  const put: RequestHandler<{ name: string }> = async (request, response) => {
    const { stored, contents } = ready();
    const limit = new PreviewLimit(response);
    const { options, source } = await readPut(request);
    limit.checkPut(source.kind, options.tokens);
    if (source.kind === 'preview') limit.checkChanges(source.changes);
    const earlier = contents.get(request.params.name);
    if (earlier) limit.checkEntry(earlier);
    const { entry, isNew } = await stored!.put(request.params.name, options, source);
    response.status(isNew ? 201 : 200).json(describe(entry, contents));
  };
  const remove: RequestHandler<{ name: string }> = async (request, response) => {
    const { stored, contents } = ready();
    const { name } = request.params;
    new PreviewLimit(response).checkDeletion(contents.get(name), name);
    await stored!.delete(name);
    response.status(204).end();
  };
  const path = '/_contents/:name';
  return [
    { method: 'get', path: '/_contents', right: 'contents', takesPreviews: true, handle: list },
    { method: 'put', path, right: 'contents', takesPreviews: true, handle: put as RequestHandler },
    { method: 'delete', path, right: 'contents', takesPreviews: true, handle: remove as RequestHandler },
  ];
}

/** Times in the result are in seconds, or ISO 8601. */
export function describe(entry: ContentEntry, contents: Contents): object {
  const { name, put, lastUse } = entry;
  const { version, entries, bytes, error, since, ...preview } = factsOf(entry);
  const now = Date.now();
  return {
    name,
    ...preview,
    version,
    entries,
    host: contents.hostOf(entry),
    bytes,
    age: since === null ? null : Math.round((now - Date.parse(since)) / 1000),
    lastUsed: lastUse[0] === 0 ? null : new Date(lastUse[0]).toISOString(),
    lifetimeLeft: put?.expires ? Math.max(0, Math.ceil((Date.parse(put.expires) - now) / 1000)) : null,
    error,
  };
}

interface Facts extends PreviewFacts, Partial<Pick<PreviewSource, 'base' | 'drafts'>> {
  /** When it was loaded or put. */
  readonly since: string | null;
}

function factsOf({ content, preview, error }: ContentEntry): Facts {
  if (preview) {
    const { putAt, preview: source } = preview.put;
    return { base: source.base, drafts: source.drafts, ...preview.facts, since: putAt };
  }
  if (!content) return { version: null, entries: null, bytes: null, error, since: null };
  const { version, types, loadedAt } = content.summary;
  const entries = types.reduce((total, type) => total + type.entries, 0);
  return { version, entries, bytes: content.history.storeBytes, error, since: loadedAt };
}

const snapshotTypes = ['application/octet-stream', 'application/gzip', 'application/x-tar'];

/**
 * Reads the options and the source of a content from a JSON body. If the body is a snapshot, reads the options from the
 * query string and leaves the body unread. Throws a RequestError.
 */
async function readPut(request: IncomingMessage): Promise<{ options: PutOptions; source: PutSource }> {
  const type = mediaTypeOf(request);
  const isJson = type === 'application/json';
  if (request.headers['content-encoding'] !== undefined || !(isJson || snapshotTypes.includes(type ?? ''))) {
    const message = `Send JSON (application/json) or a snapshot (${snapshotTypes.join(', ')}), without Content-Encoding`;
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  if (isJson) return optionsOf(await readJsonBody(request, { maxBytes: batchLimits.bytes, large: ['changes'] }));
  return { options: check(putOptions, readQuery(request.url ?? ''), 'query'), source: { kind: 'body', body: request } };
}

/** Reads a preview if the body has a `base`, otherwise the path of a snapshot. */
function optionsOf(body: unknown): { options: PutOptions; source: PutSource } {
  if (!isPlainObject(body) || !('base' in body)) {
    const { snapshot: path, ...options } = check(putBody, body, 'body');
    return { options, source: { kind: 'path', path } };
  }
  const { base, changes, drafts, token, ...options } = check(putPreviewBody, body, 'body');
  const preview = { base, drafts, sha256: token === undefined ? null : digestOfToken(token) };
  return { options, source: { kind: 'preview', preview, changes } };
}

/** Returns the parameters of `?lifetime=3600&tokens=JSON`. Throws a ValidationError. */
function readQuery(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const values: Record<string, unknown> = {};
  for (const [name, text] of parameters) {
    if (name in values) throw new ValidationError(`query: ${name} is given twice`);
    values[name] = readParameter(name, text);
  }
  return values;
}

function readParameter(name: string, text: string): unknown {
  if (name === 'tokens') return parseJson(text, 'query: tokens');
  return name === 'lifetime' && /^\d+$/.test(text) ? Number(text) : text;
}

/** Throws a ValidationError with a line for each problem. */
function check<T extends z.ZodType>(schema: T, value: unknown, place: string): z.output<T> {
  if (isPlainObject(value) && 'hosts' in value) {
    const remedy = 'leave it out, and set contents.domain to choose contents by NAME.DOMAIN';
    throw new ValidationError(`${place}: hosts: a content that is put cannot choose its hosts: ${remedy}`);
  }
  try {
    return validate(schema, value, () => place);
  } catch (error) {
    throw error instanceof ConfigError ? new ValidationError(error.message) : error;
  }
}
