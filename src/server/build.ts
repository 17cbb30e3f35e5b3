import { readFileSync } from 'node:fs';

/** What is running. `commit` is empty where nobody has said it. */
export interface Build {
  readonly version: string;
  readonly node: string;
  readonly commit: string;
}

const root = new URL('../../', import.meta.url);

/** Reads the version from package.json, and the commit from LECTERN_COMMIT or else from the clone that this is. */
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
    // no clone, or one whose references are packed
    return '';
  }
}
