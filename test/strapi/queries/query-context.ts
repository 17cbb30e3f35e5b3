import type { AttributeDefinition } from '../model/definitions.ts';
import type { Random } from '../random.ts';
import { type Content, isScalar, type Type } from './content.ts';

/** The source of random queries. */
export interface QueryContext {
  random: Random;
  content: Content;
}

export type Query = Record<string, unknown>;

/** One request of the comparison. */
export interface Request {
  /** The subject, for the summary. */
  kind: string;
  /** A key of `authorizations`. */
  caller: string;
  /** Path and query string. */
  path: string;
  headers?: Record<string, string>;
}

export type NamedAttribute = readonly [name: string, attribute: AttributeDefinition];

const hidden = new Set(['createdBy', 'updatedBy', 'localizations', 'locale']);

/** The attributes that a query may name. `mistakes.ts` has the others. */
export function openAttributes({ attributes, options }: Type): NamedAttribute[] {
  return Object.entries(attributes).filter(([name, { private: isPrivate, type }]) => {
    return !isPrivate && !options?.privateAttributes?.includes(name) && type !== 'password' && !hidden.has(name);
  });
}

export const openScalars = (type: Type): NamedAttribute[] => openAttributes(type).filter(([, a]) => isScalar(a));
export const openLinks = (type: Type): NamedAttribute[] => openAttributes(type).filter(([, a]) => !isScalar(a));
