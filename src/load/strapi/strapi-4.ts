/** Handles exports of Strapi 4. They have one row per locale, without documentIds and without separate drafts. */
import { createHash } from 'node:crypto';
import { strapiMajorVersionOf } from '../../core/dialect.ts';
import type { TypeDefinition } from '../../model/schema/type-definition.ts';
import type { LinkEnd } from './link-reader.ts';

/**
 * Whether Strapi 4 wrote an export. Without metadata, the schemas decide: in Strapi 5 every content type has a
 * `locale`, in Strapi 4 only localized types have one.
 */
export function isWrittenByVersion4(version: string | null, definitions: readonly TypeDefinition[]): boolean {
  if (version !== null) return strapiMajorVersionOf(version) === 4;
  const types = definitions.filter(({ component }) => !component);
  const has = (name: string) => types.some(({ attributes }) => Object.hasOwn(attributes, name));
  return has('createdAt') && types.some(({ attributes }) => !Object.hasOwn(attributes, 'locale'));
}

/** Makes `publishedAt` private for types without drafts, because Strapi 4 does not serve it there. */
export function withoutUnusedDates(definition: TypeDefinition): TypeDefinition {
  const { component, options } = definition;
  if (component || options?.draftAndPublish === true) return definition;
  return {
    ...definition,
    options: { ...options, privateAttributes: [...(options?.privateAttributes ?? []), 'publishedAt'] },
  };
}

/**
 * Generates documentIds for the rows of Strapi 4. Rows connected by `localizations` links form one document
 * (union-find). A documentId depends only on the uid and the smallest row id of the document, so it is stable across
 * loads.
 */
export class GeneratedDocumentIds {
  /** Parent pointers by uid and id. The parent is a row of the same document with a smaller id. Roots have none. */
  readonly #parents = new Map<string, Map<number, number>>();

  addLink(left: LinkEnd, right: LinkEnd): void {
    if (left.field !== 'localizations' || left.type !== right.type) return;
    const rows = this.#parents.get(left.type) ?? new Map<number, number>();
    this.#parents.set(left.type, rows);
    const [one, other] = [firstOf(rows, left.ref), firstOf(rows, right.ref)];
    if (one !== other) rows.set(Math.max(one, other), Math.min(one, other));
  }

  /** Returns the documentId of a row. Add all links first. */
  of(uid: string, id: number): string {
    const rows = this.#parents.get(uid);
    return generate(`${uid} ${rows ? firstOf(rows, id) : id}`);
  }
}

/** Returns the smallest id of the document of a row. Compresses the path to it. */
function firstOf(parents: Map<number, number>, id: number): number {
  let first = id;
  for (let next = parents.get(first); next !== undefined; next = parents.get(first)) first = next;
  for (let row = id; row !== first; ) {
    const next = parents.get(row)!;
    parents.set(row, first);
    row = next;
  }
  return first;
}

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const letterCount = 26;
const documentIdLength = 24;

/** Returns an id in Strapi's format for documentIds: 24 lower-case letters and digits that start with a letter. */
function generate(seed: string): string {
  const digest = createHash('sha256').update(seed).digest();
  let text = characters[digest[0] % letterCount];
  for (let i = 1; i < documentIdLength; i++) text += characters[digest[i] % characters.length];
  return text;
}
