import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const project = join(import.meta.dirname, '../..');

/** A Markdown page, by its path below the project. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const folders = ['.', 'docs', 'data', 'test', 'bench', 'deploy'];

/** All pages of the project. */
export const pages: readonly Page[] = folders.flatMap((folder) =>
  readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') })),
);

/** Programs that a command line in a page may start with. */
const program = /^(?:npm|npx|node|lectern|curl|docker|git|install|cp|echo|systemctl) /;

/** The command lines of the indented blocks, without their comments and with continued lines joined. */
export function commandsOf({ text }: Page): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim().replace(/\s+#\s.*$/, ''))
    .filter((line) => program.test(line));
}

/** The anchors of the headings, as GitHub makes them. */
export function anchorsOf({ text }: Page): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
