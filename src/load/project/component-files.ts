/** The components of a Strapi project, which its database does not hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../../core/plain-object.ts';

/** The definition of a component as its file has it. */
export interface ComponentFile {
  /** `category.name`. */
  readonly uid: string;
  readonly name: string;
  readonly path: string;
  /** Null if the file has a `problem`. */
  readonly definition: Record<string, unknown> | null;
  readonly problem: string | null;
}

/**
 * Returns the components that Strapi runs: those of `dist/src/components` in a TypeScript project, and otherwise those of
 * `src/components`. Where the folder is missing, the other one is read. They are in the order in which Strapi loads them, so
 * that an export has the same.
 */
export function readComponentFiles(project: string): ComponentFile[] {
  const [written, compiled] = [join(project, 'src', 'components'), join(project, 'dist', 'src', 'components')];
  const isTypeScript = existsSync(join(project, 'tsconfig.json'));
  const folder = (isTypeScript ? [compiled, written] : [written, compiled]).find(existsSync);
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
  const file = { uid: `${category}.${name}`, name, path };
  try {
    const definition: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isPlainObject(definition)) return { ...file, definition, problem: null };
    return { ...file, definition: null, problem: 'expected an object' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ...file, definition: null, problem: `is not JSON: ${error.message}` };
  }
}

function descending(names: readonly string[]): string[] {
  return names.toSorted().reverse();
}
