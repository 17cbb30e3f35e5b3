/**
 * Builds the sites of docs/renewing-pages.md with the real frameworks over `lectern serve`, edits entries, and checks
 * which pages are made again. It installs the frameworks the first time, which takes two minutes and 700 MB.
 *
 *     npm run test:frameworks -- [--folder F] [--framework next]…
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAstro } from './astro.ts';
import { Checks } from './checks.ts';
import { checkNext } from './next.ts';
import { checkNuxt } from './nuxt.ts';

const frameworks = { next: checkNext, astro: checkAstro, nuxt: checkNuxt };

const { values: options } = parseArgs({
  options: {
    /** Where the frameworks are installed; kept for the next run. */
    folder: { type: 'string', default: join(tmpdir(), 'lectern-frameworks') },
    framework: { type: 'string', multiple: true, default: Object.keys(frameworks) },
  },
});
const folder = resolve(options.folder);
const scratch = mkdtempSync(join(tmpdir(), 'lectern-frameworks-'));
const checks = new Checks();

for (const name of options.framework) {
  if (!(name in frameworks)) throw new Error(`Unknown framework "${name}". Choose ${Object.keys(frameworks)}`);
  await frameworks[name as keyof typeof frameworks](join(folder, name), scratch, checks);
}
rmSync(scratch, { recursive: true });
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.passed > 0 && checks.failed === 0 ? 0 : 1);
