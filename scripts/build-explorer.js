/**
 * Bundles the pages at /_explorer and /_admin into dist/explorer/ and dist/admin/. Fails if a page is larger than a reader
 * should have to load.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** `maxBytes`: maximum of all files of the page together, each compressed by gzip. */
const pages = [
  { name: 'explorer', source: 'src/explorer', maxBytes: 40_000 },
  { name: 'admin', source: 'src/admin-page', maxBytes: 20_000 },
];

for (const { name, source, maxBytes } of pages) {
  const folder = join('dist', name);
  // files of an older build would count and be packed too
  rmSync(folder, { recursive: true, force: true });
  await build({
    entryPoints: [
      { in: join(source, 'main.tsx'), out: name },
      { in: join(source, `${name}.css`), out: name },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    tsconfig: 'src/explorer/tsconfig.json',
    // what a licence asks for stays in the file
    legalComments: 'eof',
    logLevel: 'warning',
  });
  copyFileSync(join(source, 'index.html'), join(folder, 'index.html'));

  const bytes = readdirSync(folder).reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  if (bytes > maxBytes) {
    throw new Error(
      `${folder} has ${bytes.toLocaleString('en-US')} bytes in gzip; the limit is ${maxBytes.toLocaleString('en-US')}`,
    );
  }
}
