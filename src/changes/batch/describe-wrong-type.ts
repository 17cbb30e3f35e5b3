import { preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Schema } from '../../model/schema/schema.ts';

/** Returns the message for a uid that is not that of a content type. */
export function describeWrongType({ types }: Schema, uid: string): string {
  if (types.get(uid)?.kind === 'component') {
    return `${preview(uid)} is a component: components are part of their entry`;
  }
  return `${preview(uid)} is no content type${types.has(uid) ? '' : didYouMean(uid, types.keys())}`;
}
