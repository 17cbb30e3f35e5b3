/** Loads broken snapshots by seed. Each is rejected with a location or loaded completely. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Random } from '../../bench/random.ts';
import { open, SnapshotError } from '../../src/index.ts';
import { brokenArchive } from './archive.ts';
import { brokenFiles } from './corruptions.ts';
import { exportSnapshot, type Files, jsonSnapshot } from './small-snapshots.ts';

export interface SnapshotOutcome {
  loaded: number;
  refused: number;
  failures: string[];
}

const routes = [
  'notes?populate=*',
  'notes?status=draft&locale=*',
  'writers?populate=*',
  'notes?sort=writer.name&filters[title][$containsi]=n',
];

/** Loads the snapshots of the seeds from `firstSeed` on. */
export async function runSnapshots(firstSeed: number, count: number): Promise<SnapshotOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-broken-'));
  const outcome: SnapshotOutcome = { loaded: 0, refused: 0, failures: [] };
  try {
    for (let seed = firstSeed; seed < firstSeed + count && outcome.failures.length < 10; seed++) {
      const path = join(folder, String(seed));
      const what = await writeBroken(path, seed);
      // a failure does not depend on the snapshots before it
      const failure = await loadBroken(path, seed % 4 < 2 ? 'tolerant' : 'strict', outcome);
      if (failure !== null) outcome.failures.push(`seed ${seed}, ${what}: ${failure}`);
      rmSync(path, { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return outcome;
}

async function writeBroken(path: string, seed: number): Promise<string> {
  const random = new Random(Math.imul(seed, 0x85ebca6b) ^ 0x27d4eb2f);
  const kind = seed % 3;
  if (kind === 2) {
    const { bytes, what } = await brokenArchive(exportSnapshot(), random);
    writeFileSync(path, bytes);
    return `archive:${what}`;
  }
  let files: Files = kind === 0 ? jsonSnapshot() : exportSnapshot();
  const done: string[] = [];
  for (let times = random.pick([1, 1, 1, 2]); times > 0; times--) {
    const broken = brokenFiles(files, random);
    files = broken.files;
    done.push(broken.what);
  }
  mkdirSync(path);
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
  return done.join(', ');
}

/** Returns why the outcome is wrong, or null. */
async function loadBroken(
  path: string,
  tolerance: 'tolerant' | 'strict',
  outcome: SnapshotOutcome,
): Promise<string | null> {
  try {
    const content = await open(path, { tolerance });
    outcome.loaded++;
    for (const route of routes) {
      const { status, body } = await content.answer(`/api/${encodeURI(route)}`);
      if (status !== 200 && status !== 400 && status !== 403 && status !== 404)
        return `${route} is answered with ${status}`;
      JSON.parse(body.toString());
    }
    return null;
  } catch (error) {
    if (!(error instanceof SnapshotError)) return `${(error as Error).stack}`;
    outcome.refused++;
    if (error.count < 1) return 'refused without a problem';
    const unplaced = error.problems.find((problem) => !isPlaced(problem, path));
    return unplaced === undefined ? null : `no place in "${unplaced}"`;
  }
}

/** A location is a file or the snapshot itself. */
function isPlaced(problem: string, path: string): boolean {
  const isFile =
    /^[\w./-]+\.(json|jsonl|bak)\b/.test(problem) || problem.endsWith(' the file does not belong to a Strapi export');
  return problem.startsWith(path) || isFile || /^(plugin|api)::/.test(problem);
}
