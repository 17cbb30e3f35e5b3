/** Bundles the page at /_explorer into dist/explorer/. Fails if the page is larger than a reader should have to load. */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Maximum bytes of all files together, each compressed by gzip. */
const maxBytes = 40_000;

const source = 'src/explorer';
const folder = 'dist/explorer';

// files of an older build would count and be packed too
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: [
    { in: join(source, 'main.tsx'), out: 'explorer' },
    { in: join(source, 'explorer.css'), out: 'explorer' },
  ],
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  tsconfig: join(source, 'tsconfig.json'),
  // what a licence asks for stays in the file
  legalComments: 'eof',
  logLevel: 'warning',
});
copyFileSync(join(source, 'index.html'), join(folder, 'index.html'));

const bytes = readdirSync(folder).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
if (bytes > maxBytes) {
  throw new Error(
    `${folder} has ${bytes.toLocaleString('en-US')} bytes in gzip; the limit is ${maxBytes.toLocaleString('en-US')}`,
  );
}
