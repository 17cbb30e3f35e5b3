/** `npm run release` in a repository of its own, whose `.ci/run` passes, fails, or leaves something behind. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nextVersion, releaseChanges, unreleased } from '../../scripts/changelog.ts';
import { temporaryFolder } from '../support/folders.ts';

const project = join(import.meta.dirname, '../..');
const changelog =
  '# Changelog\n\n## Unreleased\n\n### Added\n- A thing.\n\n## 1.4.2 - 2026-01-01\n\n### Fixed\n- A fault.\n';

describe('the changelog', () => {
  test('tells the next version', () => {
    expect(unreleased(changelog)).toBe('### Added\n- A thing.');
    expect(nextVersion('1.4.2', '### Fixed\n- A fault.')).toBe('1.4.3');
    expect(nextVersion('1.4.2', '### Added\n- A thing.')).toBe('1.5.0');
    expect(nextVersion('1.4.2', '### Changed\n- **Breaking.** A thing.')).toBe('2.0.0');
    expect(nextVersion('1.4.2', '### Removed\n- A thing.')).toBe('2.0.0');
    expect(nextVersion('0.4.2', '### Removed\n- A thing.')).toBe('0.5.0');
    expect(() => nextVersion('1.4', '')).toThrow('the version 1.4 of package.json is not of the form 1.2.3');
  });

  test('gets a section for the version below an empty one', () => {
    expect(releaseChanges(changelog, '1.5.0', '2026-11-28')).toContain(
      '## Unreleased\n\n## 1.5.0 - 2026-11-28\n\n### Added\n- A thing.\n\n## 1.4.2 - 2026-01-01\n',
    );
    expect(() => unreleased(releaseChanges(changelog, '1.5.0', '2026-11-28'))).toThrow('nothing to release');
    expect(() => unreleased('# Changelog\n')).toThrow('no section "## Unreleased"');
  });

  test('of this project has unreleased changes of the known kinds', () => {
    const kinds = unreleased(readFileSync(join(project, 'CHANGELOG.md'), 'utf8')).match(/^### .*$/gm)!;
    for (const kind of kinds)
      expect(['### Added', '### Changed', '### Removed', '### Fixed', '### Security']).toContain(kind);
  });
});

const url = 'https://example.com/thing.git';

/** A repository with a commit. Returns a function that runs the script in it. */
function repository(checks: string) {
  const folder = temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const manifest = { name: 'thing', version: '1.4.2', repository: { type: 'git', url: `git+${url}` } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  mkdirSync(join(folder, '.ci'));
  writeFileSync(join(folder, '.ci/run'), `#!/bin/sh\n${checks}\n`);
  chmodSync(join(folder, '.ci/run'), 0o755);
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'maintainers');
  git('config', 'user.email', 'maintainers@example.com');
  git('remote', 'add', 'origin', url);
  git('add', '.');
  git('commit', '--quiet', '--message=Begin');
  const release = (...args: string[]) => {
    const words = ['--import', import.meta.resolve('tsx'), join(project, 'scripts/release.ts'), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  return { folder, git, release, read };
}

describe('a release', () => {
  test('sets the version, closes the section, commits and tags, once the checks have passed', () => {
    const { git, release, read } = repository('exit 0');
    expect(release('--dry-run')).toMatchObject({ status: 0, stdout: expect.stringContaining('1.4.2 -> 1.5.0') });
    expect(git('tag')).toBe('');
    expect(release()).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(read('package.json')).version).toBe('1.5.0');
    expect(read('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 1\.5\.0 - \d{4}-\d\d-\d\d\n\n### Added\n/);
    expect(git('log', '-1', '--format=%s')).toBe('Release 1.5.0');
    expect(git('tag', '--list', '--format=%(contents)')).toBe('1.5.0\n\n### Added\n- A thing.');
    expect(git('status', '--porcelain')).toBe('');
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing to release') });
  });

  test.each([
    ['a check fails', 'exit 3', () => {}, '.ci/run ended with 3: only a tested state is released'],
    ['the checks leave something behind', 'touch left', () => {}, 'the tests have changed the working tree'],
    ['something is not committed', 'exit 0', ({ folder }) => writeFileSync(join(folder, 'x'), ''), 'has changes'],
    ['the branch is another one', 'exit 0', ({ git }) => git('switch', '--quiet', '-c', 'b'), 'the branch is b'],
    ['the tag exists', 'exit 0', ({ git }) => git('tag', 'v1.5.0'), 'the tag v1.5.0 exists'],
    [
      'the remote is another one',
      'exit 0',
      ({ git }) => git('remote', 'set-url', 'origin', 'https://example.com/other.git'),
      'the remote origin is https://example.com/other.git',
    ],
  ] as [string, string, (made: ReturnType<typeof repository>) => void, string][])(
    'is refused if %s',
    (_, checks, change, reason) => {
      const made = repository(checks);
      change(made);
      const before = made.git('rev-parse', 'HEAD');
      expect(made.release()).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
      expect(made.git('rev-parse', 'HEAD')).toBe(before);
    },
  );
});
