/** Routes that read one content, and that compare, apply and rebase the changes of a preview. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { z } from 'zod';
import { batchLimits } from '../../changes/batch/batch.ts';
import { asChangeError, type ChangeAnswer, type RequestKey } from '../../content/live/change-request.ts';
import type { ChangedBase, PreviewApplication } from '../../content/previews/apply-preview.ts';
import { comparePreview, describePreview, type Page, stateOf } from '../../content/previews/compare-preview.ts';
import type { Preview } from '../../content/previews/preview.ts';
import { fileOfInSteps } from '../../content/previews/preview-changes.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { preview as excerpt } from '../../core/problems.ts';
import { runInTurns } from '../../core/steps.ts';
import { writeJsonInSteps } from '../../core/write-json.ts';
import { unavailable } from '../../http/error-replies.ts';
import { readQueryParameters } from '../../http/query-parameter.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { AdminRight } from '../../model/settings/contents.ts';
import { validate } from '../../model/settings/read-config.ts';
import type { AdminRoute } from './admin-routes.ts';
import { describe } from './contents-routes.ts';
import { PreviewLimit } from './preview-limit.ts';
import { contentOfName, readJsonOnly } from './read-request.ts';
import { readKey } from './update-routes.ts';

/** Who may read a content and the changes of a preview, and who may apply and rebase them. */
const readRight: AdminRight = 'contents';
const applyRights: readonly AdminRight[] = ['contents', 'changes'];

/** Maximum size of the body of a request, which names documents. */
const maxBytes = 4 * 2 ** 20;

const maxLimit = 10_000;
const defaultLimit = 1000;

const version = z
  .string()
  .regex(/^\d+-\d+$/, 'must be a version as in the header X-Lectern-Version, such as 1767225600000-3')
  .nullish()
  .transform((given) => given ?? null);

const documentForm = {
  type: z.string().min(1),
  documentId: z.string().min(1),
  locale: z.string().optional(),
  status: z.enum(['draft', 'published']).optional(),
};

const applyBody = z.strictObject({
  documents: z
    .array(z.strictObject(documentForm))
    .min(1)
    .max(batchLimits.entities)
    .nullish()
    .transform((given) => given ?? null),
  previous: version,
  withoutJournal: z.boolean().default(false),
});

const take = z.enum(['base', 'preview']);
const resolution = z.strictObject({ ...documentForm, attribute: z.string().optional(), take });
const rebaseBody = z.strictObject({
  resolve: z
    .union([take, z.array(resolution).max(batchLimits.entities)], 'must be "base", "preview" or a list of resolutions')
    .nullish()
    .transform((given) => given ?? null),
  previous: version,
});

/** `served` returns null while the first content is being loaded. */
export function previewRoutes(served: () => ServedContents | null): AdminRoute[] {
  const show: RequestHandler<{ name: string }> = async (request, response) => {
    const { contents, entry } = readable(served(), request.params.name, response);
    const { preview } = entry;
    const state = preview && { ...(await stateOf(preview)), ...(await sizeOf(preview)) };
    response.json({ ...describe(entry, contents), expires: entry.put?.expires ?? null, ...state });
  };
  const compare: RequestHandler<{ name: string }> = async (request, response) => {
    const { preview } = requested(served(), request.params.name, response);
    const { format, ...page } = readPage(request);
    if (format === 'text') {
      const lines = await describePreview(preview, page.limit);
      response.type('text/plain').send(`${lines.join('\n')}\n`);
      return;
    }
    const { name, preview: source } = preview.put;
    const compared = { name, base: source.base, ...(await comparePreview(preview, page)) };
    response.type('application/json').send(Buffer.concat(await runInTurns(writeJsonInSteps(compared, 3))));
  };
  const change =
    <Body extends z.ZodType>(
      schema: Body,
      run: (
        application: PreviewApplication,
        body: z.output<Body>,
        key: RequestKey | null,
        base: ChangedBase,
      ) => Promise<ChangeAnswer>,
    ): RequestHandler<{ name: string }> =>
    async (request, response) => {
      const { preview, entry, contents, stored, live } = requested(served(), request.params.name, response);
      const updates = stored!.updatesOf(entry, preview);
      const answer = await updates.waiting.run(async () => {
        const { body, key } = await readKeyed(request);
        const base = contents.get(preview.put.preview.base);
        const writer = base && live!.of(base);
        // throws if there is none
        const { base: content } = preview;
        if (!base || !writer) throw unavailable(`The content "${preview.put.preview.base}" could not be loaded`);
        return run(stored!.applicationOf(entry, preview), check(schema, body), key, { entry: base, content, writer });
      });
      response.json(answer);
    };
  const apply = change(applyBody, (application, body, key, base) => application.apply(body, key, base));
  const rebase = change(rebaseBody, (application, body, key, base) => application.rebase(body, key, base));
  const path = '/_contents/:name';
  return [
    { method: 'get', path, right: readRight, takesPreviews: true, handle: show as RequestHandler },
    {
      method: 'get',
      path: `${path}/changes`,
      right: readRight,
      takesPreviews: true,
      handle: compare as RequestHandler,
    },
    { method: 'post', path: `${path}/apply`, right: applyRights, takesPreviews: true, handle: withChangeErrors(apply) },
    {
      method: 'post',
      path: `${path}/rebase`,
      right: applyRights,
      takesPreviews: true,
      handle: withChangeErrors(rebase),
    },
  ];
}

function withChangeErrors(handle: RequestHandler<{ name: string }>): RequestHandler {
  return async (request, response, next) => {
    try {
      await handle(request as unknown as Parameters<typeof handle>[0], response, next);
    } catch (error) {
      throw asChangeError(error);
    }
  };
}

/** Throws a ForbiddenError for a content that the token of the request may not read. */
function readable(
  served: ServedContents | null,
  name: string,
  response: Response,
): ServedContents & { entry: ContentEntry } {
  const found = contentOfName(served, name);
  new PreviewLimit(response).checkEntry(found.entry);
  return found;
}

function requested(...request: Parameters<typeof readable>): ReturnType<typeof readable> & { preview: Preview } {
  const found = readable(...request);
  const { name, preview } = found.entry;
  if (!preview) throw new NotFoundError(`"${name}" is no preview`);
  return { ...found, preview };
}

async function sizeOf({ changes }: Preview): Promise<{ changes: number; changeBytes: number }> {
  const { lists } = await runInTurns(fileOfInSteps(changes));
  const count = lists.reduce<number>((total, list) => total + (list as unknown[]).length, 0);
  return { changes: count, changeBytes: changes.bytes.length };
}

/** Reads `?limit=1000&offset=0&format=json`. Without a format, the header Accept decides. */
function readPage(request: IncomingMessage): Page & { format: 'json' | 'text' } {
  const given = readQueryParameters(request.url ?? '', ['limit', 'offset', 'format']);
  const count = (name: 'limit' | 'offset', initial: number, least: number, most: number) => {
    const text = given[name];
    if (text === null) return initial;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value >= least && value <= most) return value;
    throw new ValidationError(`query: ${name} must be an integer from ${least} to ${most}, is ${excerpt(text)}`);
  };
  const accepts = (request.headers.accept ?? '').split(',')[0].split(';')[0].trim();
  const format = given.format ?? (accepts === 'text/plain' ? 'text' : 'json');
  if (format !== 'json' && format !== 'text') {
    throw new ValidationError(`query: format must be json or text, is ${excerpt(format)}`);
  }
  return { format, limit: count('limit', defaultLimit, 1, maxLimit), offset: count('offset', 0, 0, 999_999_999) };
}

/** Reads a body of JSON, and the key of a request that may be repeated. */
async function readKeyed(request: IncomingMessage): Promise<{ body: unknown; key: RequestKey | null }> {
  const key = readKey(request);
  const hash = createHash('sha256');
  const body = await readJsonOnly(request, { maxBytes, onPiece: (piece) => hash.update(piece) });
  return { body, key: key === null ? null : { key, digest: hash.digest('hex') } };
}

/** Throws a ValidationError with a line for each problem. */
function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  try {
    return validate(schema, value, () => 'body');
  } catch (error) {
    throw error instanceof ConfigError ? new ValidationError(error.message) : error;
  }
}
