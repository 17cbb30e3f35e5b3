import { readFile } from 'node:fs/promises';
import { PublicationError } from './publication.ts';

/** Variables such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of a variable, or the content of the file that the variable with `_FILE` names, without the end of
 * its line. Undefined if neither is set. Rejects with a PublicationError.
 */
export async function readSecret(variable: string, environment: Environment): Promise<string | undefined> {
  const value = environment[variable] || undefined;
  const path = environment[`${variable}_FILE`] || undefined;
  if (path === undefined) return value;
  if (value !== undefined) throw new PublicationError(`set either ${variable} or ${variable}_FILE, not both`);
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new PublicationError(`cannot read the file of ${variable}_FILE: ${cause.message}`, { cause });
  });
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new PublicationError(`the file of ${variable}_FILE is empty: ${path}`);
  return secret;
}
