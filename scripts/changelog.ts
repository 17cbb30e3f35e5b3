/** The changelog, as https://keepachangelog.com describes it, and the versions that follow from it by semantic versioning. */

const heading = '## Unreleased';

/** Returns what the section "Unreleased" says, without its heading. Throws if there is no such section or it is empty. */
export function unreleased(changelog: string): string {
  const [, section] = changelog.split(`\n${heading}\n`);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "${heading}"`);
  const text = section.split(/^## /m)[0].trim();
  if (!/^- /m.test(text))
    throw new Error('the section "Unreleased" of CHANGELOG.md is empty: there is nothing to release');
  return text;
}

/**
 * Returns the version after `current`, such as 1.4.2, for these changes: a major one for a change that is marked
 * "**Breaking.**" or for something removed, a minor one for something added or changed, otherwise a patch. Before 1.0.0,
 * breaking changes make a minor version.
 */
export function nextVersion(current: string, changes: string): string {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(current);
  if (!numbers) throw new Error(`the version ${current} of package.json is not of the form 1.2.3`);
  const [major, minor, patch] = numbers.slice(1).map(Number);
  const isBreaking = /\*\*Breaking\.\*\*|^### Removed$/m.test(changes);
  if (isBreaking && major > 0) return `${major + 1}.0.0`;
  if (isBreaking || /^### (Added|Changed)$/m.test(changes)) return `${major}.${minor + 1}.0`;
  return `${major}.${minor}.${patch + 1}`;
}

/** Gives what is unreleased to a version of a day, such as 2026-11-28, below an empty section for what follows. */
export function releaseChanges(changelog: string, version: string, day: string): string {
  return changelog.replace(`\n${heading}\n`, () => `\n${heading}\n\n## ${version} - ${day}\n`);
}
