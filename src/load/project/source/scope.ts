/** Where an expression is evaluated, and how much of it. */
import type { SourceFile } from './source-file.ts';
import type { Node } from './syntax.ts';

/** An expression is not constant. The message describes `node`, the part that is not. */
export class NotConstantError extends Error {
  readonly file: SourceFile;
  readonly node: Node;

  constructor(file: SourceFile, node: Node, message: string) {
    super(message);
    this.file = file;
    this.node = node;
  }
}

/** The scope of an expression: its enclosing functions, innermost first, and variables with known values. */
export interface Scope {
  readonly file: SourceFile;
  readonly functions: readonly Node[];
  readonly known?: Readonly<Record<string, unknown>>;
  /** Returns the value of an expression that is no constant, such as a call of a known function. Null for others. */
  readonly interpret?: (node: Node, evaluate: (part: Node) => unknown) => { readonly value: unknown } | null;
  /** Steps that are left. By default each value has its own. */
  readonly budget?: Budget;
}

/** Bounds the time and size of a value: each line of code can double both. */
export class Budget {
  #left = maxSteps;

  /** Throws a NotConstantError that names the place if no steps are left. */
  spend(steps: number, { file }: Scope, node: Node): void {
    this.#left -= steps;
    if (this.#left < 0) throw new NotConstantError(file, node, `takes more than ${maxSteps} steps to evaluate`);
  }
}

/** Each part of an expression is a step, and so are 100 characters of a text. Configurations take some hundred. */
const maxSteps = 10_000;
export const charactersPerStep = 100;
