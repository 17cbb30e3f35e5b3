/** What sets the exports of Strapi 4 apart: one row for each locale, with or without a publication date, and no documentIds. */
import { createHash } from 'node:crypto';
import type { TypeDefinition } from '../../model/read-schema.ts';

/** One end of a link, as far as it names a row. */
interface RowEnd {
  readonly type: string;
  readonly ref: number;
  readonly field?: string | null;
}

/** The version of Strapi in an export's `metadata.json`. Null if it tells none: nothing else in the file matters. */
export async function versionIn(metadata: AsyncIterable<Buffer>): Promise<string | null> {
  const pieces: Buffer[] = [];
  for await (const piece of metadata) pieces.push(piece);
  try {
    const { strapi } = JSON.parse(Buffer.concat(pieces).toString());
    return typeof strapi?.version === 'string' ? strapi.version : null;
  } catch {
    return null;
  }
}

/**
 * Tells whether Strapi 4 wrote an export. Without metadata the schemas tell: Strapi 5 gives every content type a
 * `locale`, Strapi 4 only those that are localized.
 */
export function isWrittenByVersion4(version: string | null, definitions: readonly TypeDefinition[]): boolean {
  if (version !== null) return /^4\./.test(version);
  const types = definitions.filter(({ component }) => !component);
  const has = (name: string) => types.some(({ attributes }) => Object.hasOwn(attributes, name));
  return has('createdAt') && types.some(({ attributes }) => !Object.hasOwn(attributes, 'locale'));
}

/** Hides `publishedAt` of a type without drafts: in Strapi 4 only types with drafts have one. */
export function withoutUnusedDates(definition: TypeDefinition): TypeDefinition {
  const { component, options } = definition;
  if (component || options?.draftAndPublish === true) return definition;
  return {
    ...definition,
    options: { ...options, privateAttributes: [...(options?.privateAttributes ?? []), 'publishedAt'] },
  };
}

/**
 * Gives the rows of an export of Strapi 4 the documentIds that they lack. Rows that `localizations` links join are one
 * document. A documentId depends on the uid and the smallest id among its rows only, so the same content always gets
 * the same documentIds.
 */
export class GeneratedDocumentIds {
  /** By uid and id: a row of the same document with a smaller id. A row without one is the first of its document. */
  readonly #earlier = new Map<string, Map<number, number>>();

  addLink(left: RowEnd, right: RowEnd): void {
    if (left.field !== 'localizations' || left.type !== right.type) return;
    const rows = this.#earlier.get(left.type) ?? new Map<number, number>();
    this.#earlier.set(left.type, rows);
    const [one, other] = [firstOf(rows, left.ref), firstOf(rows, right.ref)];
    if (one !== other) rows.set(Math.max(one, other), Math.min(one, other));
  }

  /** The documentId of a row. All links must have been added. */
  of(uid: string, id: number): string {
    const rows = this.#earlier.get(uid);
    return generate(`${uid} ${rows ? firstOf(rows, id) : id}`);
  }
}

/** The smallest id of the document of a row. Shortens the way for the next question of every row on it. */
function firstOf(earlier: Map<number, number>, id: number): number {
  let first = id;
  for (let next = earlier.get(first); next !== undefined; next = earlier.get(first)) first = next;
  for (let row = id; row !== first; ) {
    const next = earlier.get(row)!;
    earlier.set(row, first);
    row = next;
  }
  return first;
}

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const letterCount = 26;
const documentIdLength = 24;

/** A text in the form of Strapi's own documentIds: 24 lower-case letters and digits, a letter first. */
function generate(seed: string): string {
  const digest = createHash('sha256').update(seed).digest();
  let text = characters[digest[0] % letterCount];
  for (let i = 1; i < documentIdLength; i++) text += characters[digest[i] % characters.length];
  return text;
}
