/** Loads the module of the setting `extend` and checks its exports. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { describeProblem } from '../../core/describe-problem.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { CustomRoutes } from './custom-routes.ts';
import type { CustomRoute, Extension, QueryHook } from './extension.ts';
import { describeValue } from './values.ts';

/** A loaded and checked extension. */
export interface LoadedExtension {
  /** The absolute path of the module. */
  readonly file: string;
  readonly routes: NonNullable<Extension['routes']>;
  readonly customRoutes: CustomRoutes;
}

const hook = z
  .custom<QueryHook>((value) => typeof value === 'function', 'must be a function (query, { role }) => query')
  .refine((value) => !isAsync(value), 'must not be async, because queries are bound synchronously');

const customRoute: z.ZodType<CustomRoute> = z.strictObject({
  method: z.custom<'GET'>((value) => value === 'GET', 'must be GET, because Lectern only reads').optional(),
  path: z.string().regex(/^\//, 'must be a path below the prefix with a leading slash'),
  action: z.string().min(1).optional(),
  cacheControl: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be a header value in printable ASCII')
    .optional(),
  handler: z.custom<CustomRoute['handler']>((value) => typeof value === 'function', 'must be a function'),
});

const extensionSchema = z.strictObject({
  routes: z
    .custom<object>(
      (value) => typeof value === 'object' && !Array.isArray(value),
      'must be an object of hooks by uid and action (custom routes belong in customRoutes)',
    )
    .pipe(z.record(z.string(), z.record(z.string(), z.strictObject({ query: hook }))))
    .default({}),
  customRoutes: z.array(customRoute).default([]),
});

/** Number of loads in this thread. Node caches modules by URL, so each load uses a different URL. */
let loads = 0;

/**
 * Loads an extension. Evaluates its module again even if it was loaded before, but not the modules that it imports.
 * Throws a ConfigError that names the file and the problem.
 */
export async function loadExtension(path: string): Promise<LoadedExtension> {
  const file = resolve(path);
  const module = await importModule(file);
  if (!('default' in module)) {
    const names = Object.keys(module);
    const found = names.length > 0 ? `it exports ${names.join(', ')}` : 'it exports nothing';
    throw new ConfigError(`${file}: must have a default export, such as "export default { routes: { … } }"; ${found}`);
  }
  const exported = module.default;
  if (typeof exported !== 'object' || exported === null) {
    throw new ConfigError(`${file}: the default export must be an object, is ${describeValue(exported)}`);
  }
  const { success, data, error } = extensionSchema.safeParse(exported);
  if (!success) {
    throw new ConfigError(
      error.issues.map((issue) => `${file}: ${describeProblem(issue, exported, extensionSchema)}`).join('\n'),
    );
  }
  return { file, routes: data.routes, customRoutes: new CustomRoutes(file, data.customRoutes) };
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  if (!/\.[cm]?[jt]s$/.test(file)) {
    throw new ConfigError(`${file}: the name must end in .js or .mjs, or in .ts if Node runs TypeScript`);
  }
  if (!existsSync(file)) throw new ConfigError(`${file}: the file does not exist`);
  const { href } = pathToFileURL(file);
  loads++;
  try {
    return await import(/* @vite-ignore */ `${href}?load=${loads}`);
  } catch (error) {
    const reason = reasonOf(error) + (error instanceof SyntaxError ? await syntaxErrorPosition(file) : '');
    throw new ConfigError(`${file}: cannot be loaded: ${reason}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${describeValue(error)}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'this version of Node does not run TypeScript (22.18 and later do). Compile the module to .mjs';
  }
  return `${error.name}: ${error.message}`;
}

/** Returns the position of a syntax error, which Node does not report, or an empty text if another file has it. */
async function syntaxErrorPosition(file: string): Promise<string> {
  // imported here because few processes need the parser
  const { parseSource, SourceError } = await import('../../load/project/source/syntax.ts');
  try {
    parseSource(readFileSync(file, 'utf8'), /\.[cm]?ts$/.test(file));
    return '';
  } catch (error) {
    return error instanceof SourceError ? ` (line ${error.position.line}, column ${error.position.column})` : '';
  }
}

function isAsync(value: (...values: never[]) => unknown): boolean {
  return value.constructor.name === 'AsyncFunction' || value.constructor.name === 'AsyncGeneratorFunction';
}
