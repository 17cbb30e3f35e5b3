import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program as `npm run build` makes it: what is measured is what users run, not the sources. */
export const builtCli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
export const builtLibrary = new URL('../dist/index.js', import.meta.url);

/** A module of the program as it is built, by its path. */
export function builtModule(path: string): string {
  return new URL(`../dist/${path}`, import.meta.url).href;
}

export interface BuiltReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface BuiltContent {
  /** Without a JWT the reply is there at once. */
  answer(url: string, options: object): BuiltReply;
  router(): unknown;
}

export async function openBuilt(snapshot: string, options: object = {}): Promise<BuiltContent> {
  const library = (await import(builtLibrary.href)) as { open(path: string, options: object): Promise<BuiltContent> };
  return library.open(snapshot, options);
}

export function isBuilt(): boolean {
  return existsSync(builtCli);
}
