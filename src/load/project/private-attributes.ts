/** The attributes that a Strapi project hides from all its types. */
import { SnapshotError } from '../../core/errors.ts';
import { configured } from './database-settings.ts';
import { NotConstantError } from './source/scope.ts';

const path = ['responses', 'privateAttributes'];
const remedy = 'so it is not known what is private; write it as a list of names';

/**
 * Returns the names in `responses.privateAttributes` of `config/api`, which is not run. Throws a SnapshotError if the
 * code computes them, because content would be served that Strapi hides.
 */
export function readPrivateAttributes(project: string, variables: ReadonlyMap<string, string>): string[] {
  const value = listedNames(project, variables) ?? [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new SnapshotError([`${project}: config/api: ${path.join('.')} is not a list of names, ${remedy}`]);
}

function listedNames(project: string, variables: ReadonlyMap<string, string>): unknown {
  try {
    return configured(project, 'api', path, variables);
  } catch (error) {
    if (!(error instanceof NotConstantError)) throw error;
    const { file, node, message } = error;
    const place = `${project}: ${file.name}:${node.loc.start.line}`;
    throw new SnapshotError([`${place}: ${path.join('.')} cannot be read (${message}), ${remedy}`]);
  }
}
