/** Parsed files of a Strapi project. The code is never run. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { assignmentOf, declaredValue, type Node, parseSource, propertyName, SourceError, unwrap } from './syntax.ts';

/** Code that has to be reviewed by hand. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const extensions = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'];

/** The files of a project. Parses each file once and collects findings. */
export class SourceFiles {
  readonly #root: string;
  readonly #cache = new Map<string, SourceFile | null>();
  readonly findings: Finding[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the file at a path relative to the root, without its extension. Null if it is missing or malformed. */
  find(...path: string[]): SourceFile | null {
    return this.resolve(join(this.#root, ...path));
  }

  /** Returns the file at an absolute path, which may lack its extension or be a folder with an `index` file. */
  resolve(path: string): SourceFile | null {
    const candidates = [
      path,
      ...extensions.map((end) => path + end),
      ...extensions.map((end) => join(path, `index${end}`)),
    ];
    const file = candidates.find((name) => extensions.some((end) => name.endsWith(end)) && existsSync(name));
    return file === undefined ? null : this.open(file);
  }

  /** Returns the file at an absolute path. Reports a syntax error and returns null. */
  open(path: string): SourceFile | null {
    const cached = this.#cache.get(path);
    if (cached !== undefined) return cached;
    const file = this.#parse(path);
    this.#cache.set(path, file);
    return file;
  }

  /** Returns the JSON of a file at an absolute path. Reports a file that is not JSON and returns null. */
  readJson(path: string): unknown {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.findings.push({ file: relative(this.#root, path), line: 1, message: `is not JSON: ${error.message}` });
      return null;
    }
  }

  #parse(path: string): SourceFile | null {
    const name = relative(this.#root, path);
    try {
      const program = parseSource(readFileSync(path, 'utf8'), /\.[cm]?ts$/.test(path));
      return new SourceFile(this, path, name, program as unknown as Node);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.findings.push({ file: name, line: error.position.line, message: `cannot be parsed: ${error.message}` });
      return null;
    }
  }
}

export class SourceFile {
  readonly files: SourceFiles;
  /** The path relative to the project. */
  readonly name: string;
  readonly program: Node;
  readonly #path: string;

  constructor(files: SourceFiles, path: string, name: string, program: Node) {
    this.files = files;
    this.name = name;
    this.program = program;
    this.#path = path;
  }

  /** Adds a finding, unless the same one was added before. */
  report(node: Node, message: string): void {
    const { line } = node.loc.start;
    const { findings } = this.files;
    const isKnown = findings.some(
      (known) => known.file === this.name && known.line === line && known.message === message,
    );
    if (!isKnown) findings.push({ file: this.name, line, message });
  }

  /** Returns the exported expression of a name, or null. `default` is also `module.exports`. */
  exported(name = 'default'): Node | null {
    for (const statement of this.program.body as Node[]) {
      if (statement.type === 'ExportDefaultDeclaration' && name === 'default')
        return this.#resolveConstant(statement.declaration);
      if (statement.type === 'ExportNamedDeclaration') {
        const declared = statement.declaration && declaredValue(statement.declaration, name);
        if (declared) return declared;
        const specifier = statement.specifiers.find((each: Node) => each.exported.name === name);
        if (specifier && !statement.source) return this.#resolveConstant(specifier.local);
      }
      const { left, right } = assignmentOf(statement) ?? {};
      if (left?.type !== 'MemberExpression') continue;
      const isModule = left.object.name === 'module' && propertyName(left) === 'exports';
      if (isModule && name === 'default') return this.#resolveConstant(right!);
      const isExports =
        left.object.name === 'exports' ||
        (left.object.object?.name === 'module' && propertyName(left.object) === 'exports');
      if (isExports && propertyName(left) === name) return this.#resolveConstant(right!);
    }
    return null;
  }

  /** Returns the file at a path relative to this one, or null for the name of a package. */
  relative(path: string): SourceFile | null {
    return path.startsWith('.') ? this.files.resolve(join(dirname(this.#path), path.replace(/\.[cm]?js$/, ''))) : null;
  }

  /** Returns the value of a constant of this file, or any other expression unchanged. */
  #resolveConstant(node: Node): Node {
    const expression = unwrap(node);
    if (expression.type !== 'Identifier') return expression;
    for (const statement of this.program.body as Node[]) {
      const declared = declaredValue(statement.declaration ?? statement, expression.name);
      if (declared) return unwrap(declared);
    }
    return expression;
  }
}
