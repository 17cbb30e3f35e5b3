/** What a night runs, in this order. */
import { join } from 'node:path';

export interface Step {
  readonly name: string;
  /** A program and its arguments, run in the root of the repository. */
  readonly command: readonly string[];
  /** Minutes after which it is ended. */
  readonly limit: number;
  /** Matches the line in which it prints what it has counted. */
  readonly counts: RegExp;
  readonly needsStrapi?: true;
}

export interface Sizes {
  /** Minutes of the attacks of the soak. Its other parts take two fifths of that. */
  readonly minutes: number;
  /** Random queries of the comparison. */
  readonly cases: number;
  /** Edits on each database. */
  readonly edits: number;
}

export interface Places {
  /** Keeps what later nights can use again. */
  readonly folder: string;
  /** The folder in which Strapi is installed. */
  readonly strapi: string;
  /** A folder with clones of the websites, or null to clone them. */
  readonly repositories: string | null;
}

export function stepsOf({ minutes, cases, edits }: Sizes, { folder, strapi, repositories }: Places): readonly Step[] {
  const script = (name: string, ...args: string[]) => ['npm', 'run', name, ...(args.length ? ['--'] : []), ...args];
  const onStrapi = (name: string, below: string, ...args: string[]) =>
    script(name, '--strapi', strapi, '--folder', join(folder, below), ...args);
  const clones = repositories === null ? [] : ['--repositories', repositories];
  const follow = (name: string, source: string): Step => ({
    name,
    command: onStrapi('test:follow', 'follow', '--source', source, '--edits', String(edits)),
    limit: 30 + edits / 20,
    counts: /^\d+ changes shown, .* differ$/,
    needsStrapi: true,
  });
  return [
    {
      name: 'compare',
      // 0.28 % differ with 5.54.0
      command: onStrapi('compare:strapi', 'compare', '--cases', String(cases), '--may-differ', '0.5'),
      limit: 30 + cases / 100,
      counts: /^\d+ compared .* differ$/,
      needsStrapi: true,
    },
    follow('follow on SQLite', 'folder'),
    follow('follow on PostgreSQL', 'postgres'),
    follow('follow on MariaDB', 'mariadb'),
    {
      name: 'plugin',
      command: onStrapi('test:plugin', 'follow'),
      limit: 30,
      counts: /^\d+ checks, \d+ wrong$/,
      needsStrapi: true,
    },
    {
      name: 'fronts',
      command: onStrapi('test:fronts', 'fronts', ...clones),
      limit: 60,
      counts: /^\d+ passed, \d+ failed$/,
      needsStrapi: true,
    },
    { name: 'upgrade', command: script('test:upgrade'), limit: 30, counts: /^\d+ opened, .* failed$/ },
    {
      name: 'soak',
      command: script('test:soak', '--minutes', String(minutes)),
      limit: 20 + minutes * 2,
      counts: /^\d+ parts passed, /,
    },
  ];
}

/** Installs the Strapi that the others share. A null version is the newest on npm. */
export function installStep(strapi: string, version: string | null): Step {
  return {
    name: 'install',
    command: ['npx', 'tsx', 'test/nightly/install.ts', strapi, ...(version === null ? [] : [version])],
    limit: 30,
    counts: /^Strapi [\d.]+ is installed/,
  };
}
