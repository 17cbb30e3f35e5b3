import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The JSON files of a snapshot, whole paths. */
export function jsonFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

export function bytesOf(folder: string): number {
  return jsonFiles(folder).reduce((total, file) => total + statSync(file).size, 0);
}
