/**
 * Makes a release in the repository of the current folder: version, changelog, commit and tag, after `.ci/run` has passed.
 * Publishes nothing.
 *
 *     npm run release [-- --dry-run]    # --dry-run: prints the version and its changes, and stops
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nextVersion, releaseChanges, unreleased } from './changelog.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });

try {
  release();
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}

function release(): void {
  const { version: current, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
  refuse(git('status', '--porcelain') !== '', 'the working tree has changes: commit or remove them');
  const branch = git('branch', '--show-current');
  refuse(branch !== 'main', `the branch is ${branch || 'none'}: releases are made from main`);
  const remote = git('remote', 'get-url', 'origin');
  const named = repository.url.replace(/^git\+/, '');
  // npm checks that the package comes from the repository that it names
  refuse(remote !== named, `package.json names the repository ${named}, but the remote origin is ${remote}`);
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const changes = unreleased(changelog);
  const version = nextVersion(current, changes);
  const tag = `v${version}`;
  refuse(git('tag', '--list', tag) !== '', `the tag ${tag} exists`);
  console.log(`${current} -> ${version}\n\n${changes}\n`);
  if (values['dry-run']) return;
  const { status } = spawnSync('.ci/run', { stdio: 'inherit' });
  refuse(status !== 0, `.ci/run ended with ${status}: only a tested state is released`);
  refuse(git('status', '--porcelain') !== '', 'the tests have changed the working tree');
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', releaseChanges(changelog, version, day));
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], { stdio: 'ignore' });
  git('commit', '--all', '--quiet', `--message=Release ${version}`);
  git('tag', '--annotate', tag, `--message=${version}\n\n${changes}`, '--cleanup=verbatim');
  console.log(`Tagged ${tag}. To publish it: git push --follow-tags origin main && npm publish`);
}

function refuse(isSo: boolean, reason: string): void {
  if (isSo) throw new Error(reason);
}

/** Returns what git prints. Throws what it complains of. */
function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
}
