import { z } from 'zod';
import { cacheControlProblem, keepsPrivate } from './cache-directives.ts';

/** What can be set about replies as HTTP carries them: for the server and for a mounted router alike. */

const cacheRule = z
  .strictObject({
    role: z
      .string()
      .min(1)
      .default('public')
      .describe("Type of the caller's role; `public` has no token, `token` is any API token"),
    type: z
      .string()
      .min(1)
      .optional()
      .describe('uid of the content type that is asked for, such as api::article.article; all without it'),
    value: z
      .string()
      .regex(/^[\x20-\x7e]+$/, { error: 'must be the text of a header', abort: true })
      .describe('The header, such as public, max-age=60'),
  })
  .superRefine(({ role, value }, context) => {
    const problem = cacheControlProblem(value);
    if (problem !== null) return context.addIssue({ code: 'custom', path: ['value'], message: problem });
    // a reply that was made for a caller's credentials is never for a cache that others read from
    if (role === 'public' || keepsPrivate(value)) return;
    const message = `must hold private or no-store, as the role ${role} reads with credentials`;
    context.addIssue({ code: 'custom', path: ['value'], message });
  });

export const responseFormats = ['v4', 'v5'] as const;

export const replyFields = {
  responseFormat: z
    .enum(responseFormats)
    .optional()
    .describe(
      'Form of replies over HTTP where a request has no header Strapi-Response-Format: fields in attributes and relations in data (v4), or flat (v5); the default is v4 for an export of Strapi 4, v5 for all others',
    ),
  cacheControl: z
    .array(cacheRule)
    .default([])
    .describe(
      'Cache-Control of replies: the first rule that fits role and content type; without one, callers without a token get public, all others private, and every use is asked for anew (max-age=0, must-revalidate)',
    ),
  compression: z
    .boolean()
    .default(true)
    .describe('Compress replies of 1 KiB and more with brotli, zstd or gzip, whichever the client takes'),
};
