/** The environment of a Strapi project: its `.env` file and the variables of the process. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'dotenv';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables as Strapi reads them at its start in `folder`. Variables of the process take precedence over
 * the file `.env`, or over the file that the variable `ENV_PATH` names. A missing file counts as empty.
 */
export async function readProjectEnvironment(
  folder: string,
  ofProcess: Variables = process.env,
): Promise<ReadonlyMap<string, string>> {
  const written = await readIfPresent(resolve(folder, ofProcess.ENV_PATH ?? '.env'));
  const variables = new Map(Object.entries(parse(written)));
  for (const [name, value] of Object.entries(ofProcess)) {
    if (value !== undefined) variables.set(name, value);
  }
  return variables;
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
