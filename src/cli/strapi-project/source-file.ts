/** A parsed file of a project: its export, its constants, and what it imports. Nothing of it is run. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSource, SourceError } from '../../extend/parse-source.ts';
import { assignmentOf, bare, declaredIn, keyOf, type Node } from './syntax.ts';

/** What cannot be read, with its place. */
export interface Unread {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

const extensions = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'];

/** Reads the files of a project, each once. */
export class SourceFiles {
  readonly #root: string;
  readonly #known = new Map<string, SourceFile | null>();
  readonly unread: Unread[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  /** The file at a path without its ending, below the root. Null if there is none, or if it cannot be parsed. */
  find(...path: string[]): SourceFile | null {
    return this.resolve(join(this.#root, ...path));
  }

  /** The same of a path of the system. It may have its ending, or be a folder with an `index`. */
  resolve(path: string): SourceFile | null {
    const candidates = [
      path,
      ...extensions.map((end) => path + end),
      ...extensions.map((end) => join(path, `index${end}`)),
    ];
    const file = candidates.find((name) => extensions.some((end) => name.endsWith(end)) && existsSync(name));
    return file === undefined ? null : this.open(file);
  }

  open(path: string): SourceFile | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const file = this.#parse(path);
    this.#known.set(path, file);
    return file;
  }

  #parse(path: string): SourceFile | null {
    const name = relative(this.#root, path);
    try {
      const program = parseSource(readFileSync(path, 'utf8'), /\.[cm]?ts$/.test(path));
      return new SourceFile(this, path, name, program as unknown as Node);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.unread.push({ file: name, line: error.place.line, what: `cannot be parsed: ${error.message}` });
      return null;
    }
  }
}

export class SourceFile {
  readonly files: SourceFiles;
  /** Relative to the project. */
  readonly name: string;
  readonly program: Node;
  readonly #path: string;

  constructor(files: SourceFiles, path: string, name: string, program: Node) {
    this.files = files;
    this.name = name;
    this.program = program;
    this.#path = path;
  }

  unread(node: Node, what: string): void {
    const { line } = node.loc.start;
    const { unread } = this.files;
    const isKnown = unread.some((known) => known.file === this.name && known.line === line && known.what === what);
    if (!isKnown) unread.push({ file: this.name, line, what });
  }

  /** The expression that is the default export or `module.exports`; or the export of a name. Null if there is none. */
  exported(name = 'default'): Node | null {
    for (const statement of this.program.body as Node[]) {
      if (statement.type === 'ExportDefaultDeclaration' && name === 'default')
        return this.#constantOr(statement.declaration);
      if (statement.type === 'ExportNamedDeclaration') {
        const declared = statement.declaration && declaredIn(statement.declaration, name);
        if (declared) return declared;
        const specifier = statement.specifiers.find((each: Node) => each.exported.name === name);
        if (specifier && !statement.source) return this.#constantOr(specifier.local);
      }
      if (statement.type !== 'ExpressionStatement') continue;
      const { left, right } = assignmentOf(statement) ?? {};
      if (left?.type !== 'MemberExpression') continue;
      const isModule = left.object.name === 'module' && keyOf(left) === 'exports';
      if (isModule && name === 'default') return this.#constantOr(right!);
      const isExports =
        left.object.name === 'exports' || (left.object.object?.name === 'module' && keyOf(left.object) === 'exports');
      if (isExports && keyOf(left) === name) return this.#constantOr(right!);
    }
    return null;
  }

  /** The file that a relative path in this one leads to. */
  relative(path: string): SourceFile | null {
    return path.startsWith('.') ? this.files.resolve(join(dirname(this.#path), path.replace(/\.[cm]?js$/, ''))) : null;
  }

  #constantOr(node: Node): Node {
    const expression = bare(node);
    if (expression.type !== 'Identifier') return expression;
    for (const statement of this.program.body as Node[]) {
      const declared = declaredIn(statement.declaration ?? statement, expression.name);
      if (declared) return bare(declared);
    }
    return expression;
  }
}
