import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '../base/plain-object.ts';

/** Whether a path is the folder of a Strapi project: its package.json depends on @strapi/strapi, installed or not. */
export async function isStrapiProject(path: string): Promise<boolean> {
  try {
    const { dependencies } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    return isPlainObject(dependencies) && '@strapi/strapi' in dependencies;
  } catch {
    // no folder, no such file, or not JSON: whoever loads the path says what is wrong
    return false;
  }
}
