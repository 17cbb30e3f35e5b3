import { z } from 'zod';
import { tokenDigest } from '../access/definitions.ts';
import { unique } from './setting-problems.ts';

/** What a token may do on the admin port. */
export const adminRights = ['reload', 'contents', 'events', 'changes', 'pin', 'hooks'] as const;
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
      'reload: POST /_reload; contents: /_contents; events: /_events; changes: POST /_changes; pin: /_pin; ' +
        'hooks: POST /_hooks/strapi',
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
