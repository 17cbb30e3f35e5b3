import type { Reads } from '../client/reads.ts';
import type { Content } from './content.ts';

/** Content whose reads follow the types of a schema. */
export type TypedContent<Schema> = Omit<Content, 'find' | 'findOne'> & Reads<Schema, { role?: string }, 'now'>;
