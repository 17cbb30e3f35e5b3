import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Returns openapi-typescript, bundled into a folder. It needs the compiler's API, which TypeScript 7 does not have, so
 * the bundle takes TypeScript 5.
 */
export async function loadGenerator(folder: string): Promise<typeof import('openapi-typescript')> {
  const { resolve } = createRequire(import.meta.url);
  const compiler = resolve('typescript-5');
  const outfile = join(folder, 'openapi-typescript.mjs');
  await build({
    stdin: {
      contents: "export * from 'openapi-typescript'; export { default } from 'openapi-typescript';",
      resolveDir: import.meta.dirname,
    },
    alias: { typescript: compiler },
    external: [compiler],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
