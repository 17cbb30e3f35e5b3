import { fileURLToPath } from 'node:url';

export { freePort } from '../../bench/free-port.ts';

/** The built command line. `npm test` builds it first. */
export const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
