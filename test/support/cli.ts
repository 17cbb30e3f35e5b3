import { fileURLToPath } from 'node:url';

export { freePort } from '../../bench/free-port.ts';

/** The command line of dist/. `npm test` builds it first. */
export const builtCli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** The command line of dist/ in few files, which starts in half the time. `bundle.ts` makes it before tests run. */
export const cli = fileURLToPath(new URL('../../dist-bundle/cli.js', import.meta.url));
