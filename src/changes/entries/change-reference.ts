import { isPlainObject } from '../../core/plain-object.ts';
import { type ReferenceTarget, readReference } from '../../load/json/references.ts';
import { isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';

/** A document that a change refers to. */
export interface ChangeReference extends ReferenceTarget {
  /** The locale of the target, if the referring entry has none, or is linked to it already. Default: the default locale. */
  readonly locale?: string;
  /** The status of the target, if the referring entry has no drafts, or is linked to it already. Default: both. */
  readonly status?: 'draft' | 'published';
}

/**
 * Reads a reference in a change: that of a JSON snapshot, or the target as the API populates it. Returns a message if it
 * is neither.
 */
export function readChangeReference(schema: Schema, attribute: LinkAttribute, item: unknown): ChangeReference | string {
  const given = isPlainObject(item) ? item : {};
  const target = readReference(schema, attribute, isPolymorphic(attribute) ? item : (given.documentId ?? item));
  if (typeof target === 'string') return target;
  const { type } = target;
  const { locale, status } = given;
  const hasStatus = type.draftAndPublish && (status === 'draft' || status === 'published');
  return {
    ...target,
    ...(type.localized && typeof locale === 'string' && { locale }),
    ...(hasStatus && { status }),
  };
}
