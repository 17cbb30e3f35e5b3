import { z } from 'zod';
import { tokenDefinition, tokenDigest } from '../../model/access/definitions.ts';
import type { Config } from '../../model/settings/config.ts';
import { unique } from '../../model/settings/setting-problems.ts';
import { viewer } from '../previews/viewer.ts';

/** How a content is put: the JSON of `PUT /_contents/NAME`, and what the manifest keeps of it. */

/** Characters of a path, and of the name of a base. */
const maxNameLength = 4096;

/** Ten years, in seconds. */
const maxLifetime = 315_360_000;

const options = {
  tokens: z
    .array(tokenDefinition)
    .superRefine(unique((token) => token.sha256.toLowerCase(), 'sha256'))
    .default([]),
};

/** Seconds after which the content is removed. */
const lifetime = z.int().min(1).max(maxLifetime).optional();

/** What can be set for content that is sent as bytes. */
export const putOptions = z.strictObject({ ...options, lifetime });
export type PutOptions = z.output<typeof putOptions>;

export const putBody = z.strictObject({
  snapshot: z.string().min(1, 'must be the path of a snapshot below contents.folder').max(maxNameLength),
  ...options,
  lifetime,
});

/** The JSON of a preview. Its changes are checked against the base. */
export const putPreviewBody = z.strictObject({
  base: z.string().max(maxNameLength),
  changes: z.unknown().optional(),
  drafts: z.boolean().default(false),
  token: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .optional(),
  ...options,
  lifetime,
});

/** What makes a content a preview. */
const previewSource = z.strictObject({
  base: z.string(),
  drafts: z.boolean(),
  /** Digest of the token without which nobody may read it, or null. */
  sha256: tokenDigest.nullable(),
  /** Minimum epoch of its versions, so that they follow the earlier versions of the name. */
  epoch: z.int(),
});
export type PreviewSource = z.output<typeof previewSource>;

const isoDate = z.iso.datetime();

export const putContent = z.strictObject({
  name: z.string(),
  /** Relative to contents.folder. Of a preview: the file of its changes. */
  snapshot: z.string(),
  /** Whether the snapshot was sent, so that it is removed with the content. */
  isUploaded: z.boolean(),
  /** Only of a preview. */
  preview: previewSource.optional(),
  /** Written by earlier versions of Lectern. Not used any more. */
  hosts: z.array(z.string()).optional(),
  ...options,
  putAt: isoDate,
  /** When the content is removed, or null. */
  expires: isoDate.nullable(),
});

/** A content as the manifest keeps it. */
export type PutContent = z.output<typeof putContent>;

/**
 * Returns the settings of a content. One that is put accepts its own tokens only, and no JWT: its users are not those
 * of the other contents.
 */
export function settingsOf(put: PutContent | null, settings: Config): Config {
  if (!put) return settings;
  const own = { ...settings, tokens: put.tokens, jwtSecret: undefined, strapiCredentials: false };
  return put.preview ? previewSettings(own, put.preview) : own;
}

/**
 * A preview caches no replies, and all previews together hold at most as many derived structures as one content. Its
 * uploaded files are those of the base. With a token, the public may read nothing.
 */
function previewSettings(settings: Config, { sha256, drafts }: PreviewSource): Config {
  const bytesOf = (limit: number) => Math.max(1, Math.floor(limit / settings.contents.most));
  const shared: Config = {
    ...settings,
    drafts: drafts || settings.drafts,
    cacheBytes: 0,
    derivedBytes: bytesOf(settings.derivedBytes),
    searchBytes: bytesOf(settings.searchBytes),
    preparedBytes: bytesOf(settings.preparedBytes),
    compression: false,
    cacheTags: false,
    uploads: undefined,
  };
  if (sha256 === null) return shared;
  return {
    ...shared,
    public: false,
    roles: [...settings.roles.filter(({ type }) => type !== 'public'), { type: 'public', permissions: [] }],
    tokens: [...settings.tokens, { name: 'preview', sha256, type: 'read-only' }, viewer],
  };
}
