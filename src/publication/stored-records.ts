/** What a publication stores, as JSON that other programs may have written. */
import { z } from 'zod';
import { describeProblem } from '../core/describe-problem.ts';
import { type Head, type Member, PublicationError, type PublishedChange } from './publication.ts';

/**
 * The format of heads and changes. A reader ignores fields that it does not know and refuses a greater format, so an
 * update that changes the format reaches replicas before the publisher.
 */
export const storedFormat = 1;

const count = z.int().nonnegative();
const digest = z.string().min(1);
const state = { epoch: count, sequence: count, digest };
const image = z.object({
  ...state,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  bytes: count,
});

const headSchema: z.ZodType<Head> = z.object({
  ...state,
  image,
  settings: z.string(),
  pinned: image.nullable(),
  source: z.string(),
  access: z.object({ apiTokens: z.array(z.unknown()), emailConfirmation: z.boolean() }).optional(),
});

const changeSchema: z.ZodType<PublishedChange> = z.object({
  epoch: count,
  sequence: count,
  digests: z.object({ before: digest, after: digest }),
  changes: z.unknown(),
});

const memberSchema: z.ZodType<Member> = z.object({
  id: z.string().min(1),
  role: z.enum(['publisher', 'replica']),
  name: z.string(),
  version: z.string().nullable(),
  startedAt: z.number(),
});

/** Each function throws a PublicationError that begins with `place`. */
export function toHead(value: unknown, place: string): Head {
  return parse(headSchema, value, place);
}

export function toChange(value: unknown, place: string): PublishedChange {
  return parse(changeSchema, value, place);
}

export function toMember(value: unknown, place: string): Member {
  return parse(memberSchema, value, place);
}

export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PublicationError(`${place}: is no JSON`);
  }
}

/** Throws a PublicationError for a format that this version cannot read. */
export function checkFormat(format: unknown, place: string): void {
  if (format === storedFormat) return;
  if (typeof format === 'number' && Number.isInteger(format) && format > storedFormat) {
    const advice = 'Update replicas before the publisher';
    throw new PublicationError(
      `${place}: written by a newer version of Lectern, in format ${format}; this version reads ${storedFormat}. ${advice}`,
    );
  }
  throw new PublicationError(`${place}: not written by Lectern: its format is ${JSON.stringify(format)?.slice(0, 80)}`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new PublicationError(`${place}: ${describeProblem(result.error.issues[0], value, schema)}`);
}
