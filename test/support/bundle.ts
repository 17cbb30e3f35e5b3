/**
 * Bundles dist/ into a few files before tests run: a process that loads them starts in half the time. The tests of
 * the package in `test/project` start dist/ itself.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');

/** As deep as dist/, so that package.json and data/ have the same relative paths from both. */
const bundle = join(root, 'dist-bundle');

/** Modules that Node loads by path: the commands, each thread, the library, and what tests replace or import. */
const entryPoints = [
  'cli.js',
  'changes/compact/compact-thread.js',
  'core/errors.js',
  'follow/project/create-reader.js',
  'follow/publication/create-reader.js',
  'follow/rest/create-reader.js',
  'follow/thread/reader-worker.js',
  'index.js',
  'load/load.js',
  'load/thread/load-in-thread.js',
  'load/thread/load-thread.js',
  'server/threads/worker.js',
].map((path) => join(dist, path));

/** Lets a module find files relative to its place in dist/, though it is part of a file elsewhere. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return null;
      const place = pathToFileURL(join(bundle, relative(dist, path))).href;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(place)) };
    });
  },
};

/** Bundles dist/ if it was built after the last bundle. */
export default async function bundleBuild(): Promise<void> {
  const mark = join(bundle, 'built-from');
  if (!existsSync(entryPoints[0]!)) return;
  const built = `${entryPoints.length} ${latestChange()}`;
  const isDone = () => existsSync(mark) && readFileSync(mark, 'utf8') === built;
  if (isDone()) return;
  const folder = `${bundle}-${process.pid}`;
  await build({
    entryPoints,
    outdir: folder,
    outbase: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    // they find files beside their own, or are loaded only when they are needed
    external: ['node-sqlite3-wasm', 'pg', 'pg-native', 'mysql2'],
    chunkNames: 'chunk-[hash]',
    banner: {
      js: [
        `import { createRequire as createRequireOfBundle } from 'node:module';`,
        `const require = createRequireOfBundle(import.meta.url);`,
      ].join('\n'),
    },
    plugins: [keepPlaces],
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'built-from'), built);
  rmSync(bundle, { recursive: true, force: true });
  try {
    renameSync(folder, bundle);
  } catch (error) {
    // another run of tests was faster
    rmSync(folder, { recursive: true });
    if (!isDone()) throw error;
  }
}

/** The time of the latest change of a file in dist/. */
function latestChange(): number {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return Math.max(...files.map((name) => statSync(join(dist, name)).mtimeMs));
}
