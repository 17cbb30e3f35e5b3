import { fileURLToPath } from 'node:url';

export { freePort } from '../../bench/free-port.ts';

/**
 * The command line of dist/ in few files, which starts in half the time. `npm test` builds dist/, and `bundle.ts` bundles it
 * before tests run.
 */
export const cli = fileURLToPath(new URL('../../dist-bundle/cli.js', import.meta.url));
