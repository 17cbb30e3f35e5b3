import { randomBytes } from 'node:crypto';
import { digestOfToken, type TokenDefinition } from '../../model/access/definitions.ts';

/**
 * The credentials that the server gives to the requests of a browser whose cookie opens a preview. Random in each thread,
 * and never sent to anybody.
 */
export const viewerToken = randomBytes(32).toString('base64url');

/** What such a browser may read: the same as a reader who sends the preview's token. */
export const viewer: TokenDefinition = { name: 'browser', sha256: digestOfToken(viewerToken), type: 'read-only' };
