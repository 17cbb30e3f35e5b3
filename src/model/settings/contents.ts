import { z } from 'zod';
import { tokenDigest } from '../access/definitions.ts';
import { unique } from './setting-problems.ts';

/** Settings of what the server serves: several contents, how they follow a Strapi, and who may change them. */

const count = z.int().min(1);

const previewCookie = z
  .strictObject({
    sameSite: z
      .enum(['lax', 'none'])
      .default('lax')
      .describe(
        'lax: the preview opens in windows and tabs; none: also in frames of other sites, those of frameAncestors, over HTTPS',
      ),
    frameAncestors: z
      .array(
        z
          .string()
          .regex(/^https?:\/\/[\w.:[\]-]+$/, 'must be an origin such as https://admin.example.org, without a path'),
      )
      .default([])
      .describe('Origins whose pages may show previews in a frame, such as that of an admin panel. Default: none'),
  })
  .superRefine(({ sameSite, frameAncestors }, context) => {
    if (sameSite === 'lax' || frameAncestors.length > 0) return;
    const message = 'needs frameAncestors, which lists the origins whose pages may show previews in a frame';
    context.addIssue({ code: 'custom', path: ['sameSite'], message });
  });

export const contentsFields = {
  contents: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Folder of the contents that are put at run time (PUT /_contents/NAME). Without one, none can be put',
        ),
      domain: z
        .string()
        .regex(
          /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i,
          'must be a domain such as preview.example.org, without * and port',
        )
        .toLowerCase()
        .optional()
        .describe(
          'Domain of the contents that are put at run time: NAME.DOMAIN and hosts below it choose the content NAME. Without one, only paths choose them',
        ),
      most: count.default(200).describe('Maximum number of contents in the process'),
      uploadBytes: count.default(2 ** 30).describe('Maximum size of an export or image that is sent, in bytes'),
      previewBytes: count
        .default(16 * 2 ** 20)
        .describe(
          'Maximum memory of all previews in use, in bytes. One that was used least recently is made again at its next request',
        ),
      cookie: previewCookie.prefault({}).describe('Cookie of a browser that a ticket lets into a preview'),
      idleSeconds: count
        .max(86_400)
        .default(60)
        .describe('Seconds without a request after which one of several contents holds no caches'),
    })
    .prefault({})
    .describe('Several contents in one process'),
};

export type ContentsSettings = z.output<(typeof contentsFields)['contents']>;

export const followFields = {
  follow: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Whether changes of the Strapi are served as it makes them. Default: true for the folder of a project, false for an address',
        ),
      compareSeconds: z
        .int()
        .min(5)
        .max(86_400)
        .default(300)
        .describe('Seconds between two comparisons with the Strapi, which find what no signal has told'),
      lookSeconds: z
        .number()
        .min(0.1)
        .max(86_400)
        .default(0.1)
        .describe(
          'Most seconds between two looks at a database on a server. With more than the default, looks become rarer while nothing changes, so that a database that is suspended without queries may sleep; webhooks cause a look at once',
        ),
      secret: z
        .string()
        .min(16)
        .optional()
        .describe(
          'Key of the HMAC-SHA256 in X-Lectern-Signature, with which strapi-plugin-lectern signs its posts, and Lectern its requests to the plugin',
        ),
      startSeconds: z
        .int()
        .min(0)
        .max(86_400)
        .default(60)
        .describe(
          'Seconds for which a start waits for a Strapi that cannot be reached, if the cache holds nothing of it. Then the process ends with the exit code 1',
        ),
      fullAt: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:30')
        .default('03:30')
        .describe('Local time at which everything is read again once a day, up to ten minutes later'),
    })
    .prefault({})
    .describe('How the content follows a Strapi'),
};

/** What a token may do on the admin port. */
export const adminRights = ['reload', 'contents', 'previews', 'events', 'changes', 'pin', 'hooks'] as const;
export type AdminRight = (typeof adminRights)[number];

const adminToken = z.strictObject({
  name: z.string().min(1).describe('Name of the token, for people and the log'),
  sha256: tokenDigest,
  rights: z
    .array(z.enum(adminRights))
    .min(1)
    .superRefine((rights, context) => {
      const index = rights.findIndex((right, i) => rights.indexOf(right) < i);
      if (index >= 0) context.addIssue({ code: 'custom', path: [index], message: 'must be listed only once' });
    })
    .describe(
      'reload: POST /_reload; contents: /_contents; previews: previews only, on /_contents, /_changes and /_entries; ' +
        'events: /_events; changes: POST /_changes; pin: /_pin; hooks: POST /_hooks/strapi',
    ),
});

export const adminFields = {
  admin: z
    .strictObject({
      tokens: z
        .array(adminToken)
        .superRefine(unique((token) => token.sha256.toLowerCase(), 'sha256'))
        .superRefine(unique((token) => token.name, 'name'))
        .default([])
        .describe(
          'Tokens for the routes of the admin port that change something. Without one, these routes are closed',
        ),
    })
    .prefault({})
    .describe('Access to the admin port'),
};

export type AdminToken = z.output<typeof adminToken>;
