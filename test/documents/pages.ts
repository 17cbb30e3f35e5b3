import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const project = join(import.meta.dirname, '../..');

/** A Markdown page, by its path below the project. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A code block. `language` is empty for an indented block. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

const folders = ['.', 'docs', 'data', 'test', 'bench', 'bench/results', 'deploy', 'deploy/preview-next'];

/** All pages of the project. */
export const pages: readonly Page[] = folders.flatMap((folder) =>
  readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') })),
);

/** Returns the page at a path. */
export function pageAt(path: string): Page {
  return pages.find((page) => page.path === path)!;
}

const fence = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;
const indentedLines = /(?:^ {4}.*\n|^\n(?= {4}))+/gm;

/** Returns the code blocks of a page without their indentation: the fenced ones, then the indented ones. */
export function blocksOf({ text }: Page): CodeBlock[] {
  const fenced = Array.from(text.matchAll(fence), ([, indent, language, code]) => ({
    language,
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
  const indented = Array.from(text.replaceAll(fence, '').matchAll(indentedLines), ([code]) => ({
    language: '',
    text: code.replaceAll(/^ {4}/gm, ''),
  }));
  return [...fenced, ...indented];
}

/** Programs that a command line in a page may start with. */
const program =
  /^(?:npm|npx|node|lectern|curl|docker|git|install|cp|mv|rm|echo|env|printf|alias|nginx|systemctl|useradd|ln|\/usr\/bin\/node|deploy\/\S+) /;

/** Returns the command lines of a page, without their comments and with continued lines joined. */
export function commandsOf(page: Page): string[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'sh' || language === '')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.trim().replace(/\s+#\s.*$/, ''))
    .filter((line) => program.test(line));
}

/** Returns the rows of the tables below a heading, up to the next heading of the same or a higher level. */
export function rowsBelow({ text }: Page, heading: string): string[][] {
  const level = /^#+/.exec(heading)![0].length;
  const start = text.indexOf(`\n${heading}\n`) + heading.length + 2;
  const length = text.slice(start).search(new RegExp(`^#{1,${level}} `, 'm'));
  return text
    .slice(start, length < 0 ? undefined : start + length)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-:| ]+\|$/.test(line))
    .map((line) => cellsOf(line));
}

/** Returns the cells of a table row. A bar in a cell is written `\|`. */
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Returns the texts in backticks, outside of fenced blocks. */
export function codesIn(text: string): string[] {
  return Array.from(text.replaceAll(fence, '').matchAll(/`([^`\n]+)`/g), ([, code]) => code);
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
