import { z } from 'zod';
import { tokenDefinition } from '../access/definitions.ts';
import type { Config } from '../config/config.ts';
import { unique } from '../config/unique.ts';

/** How a content is put: the JSON of `PUT /_contents/NAME`, and what the manifest keeps of it. */

/** Ten years, in seconds. */
const maxLifetime = 315_360_000;

const hostName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be the name of a host such as preview.example.org, without a port')
  .toLowerCase();

const options = {
  hosts: z.array(hostName).default([]),
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
  snapshot: z.string().min(1, 'must be the path of a snapshot below contents.folder'),
  ...options,
  lifetime,
});

const isoDate = z.iso.datetime();

export const putContent = z.strictObject({
  name: z.string(),
  /** Relative to contents.folder. */
  snapshot: z.string(),
  /** Whether the snapshot was sent, so that it is removed with the content. */
  isUploaded: z.boolean(),
  ...options,
  putAt: isoDate,
  /** When the content is removed, or null. */
  expires: isoDate.nullable(),
});

/** A content as the manifest keeps it. */
export type PutContent = z.output<typeof putContent>;

/**
 * Returns the settings of a content. One that is put accepts its own tokens only, and no JWT: its users are not those of
 * the other contents.
 */
export function settingsOf(put: PutContent | null, settings: Config): Config {
  return put ? { ...settings, tokens: put.tokens, jwtSecret: undefined } : settings;
}
