import { readFileSync } from 'node:fs';

/** The version of the running server. `commit` is empty if it is unknown. */
export interface Build {
  readonly version: string;
  readonly node: string;
  readonly commit: string;
}

const root = new URL('../../', import.meta.url);

/** Reads the version from package.json, and the commit from LECTERN_COMMIT or the Git clone. */
export function readBuild(environment = process.env): Build {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return { version, node: process.versions.node, commit: environment.LECTERN_COMMIT || commitOfClone() };
}

function commitOfClone(): string {
  try {
    const head = readFileSync(new URL('.git/HEAD', root), 'utf8').trim();
    const [, branch] = /^ref: (refs\/[\w./-]+)$/.exec(head) ?? [];
    return branch === undefined ? head : readFileSync(new URL(`.git/${branch}`, root), 'utf8').trim();
  } catch {
    // not a clone, or a clone with packed references
    return '';
  }
}
