/** The components of a Strapi project, which its database does not hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError } from '../base/errors.ts';
import { isPlainObject } from '../base/plain-object.ts';

/** The definition of a component as its file has it. */
export interface ComponentFile {
  /** `category.name`. */
  readonly uid: string;
  readonly name: string;
  readonly path: string;
  readonly definition: Record<string, unknown>;
}

/**
 * Returns the components of `src/components`, or of `dist/src/components` in a project without sources. They are in the
 * order in which Strapi loads them, so that an export has the same.
 */
export function readComponentFiles(project: string): ComponentFile[] {
  const folder = [join(project, 'src', 'components'), join(project, 'dist', 'src', 'components')].find(existsSync);
  if (folder === undefined) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  const categories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return descending(categories).flatMap((category) =>
    descending(readdirSync(join(folder, category)))
      .filter((file) => file.endsWith('.json'))
      .map((file) => readComponentFile(join(folder, category, file), category, file.slice(0, -'.json'.length))),
  );
}

function readComponentFile(path: string, category: string, name: string): ComponentFile {
  let definition: unknown;
  try {
    definition = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SnapshotError([`${path}: is not JSON: ${error.message}`]);
  }
  if (!isPlainObject(definition)) throw new SnapshotError([`${path}: expected an object`]);
  return { uid: `${category}.${name}`, name, path, definition };
}

function descending(names: readonly string[]): string[] {
  return names.toSorted().reverse();
}
