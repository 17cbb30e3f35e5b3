/** Parses JavaScript and TypeScript without running it. */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type Options, Parser, type Program } from 'acorn';

/** A position in a file. Both numbers start at one. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A file is not valid JavaScript or TypeScript. */
export class SourceError extends Error {
  readonly position: SourcePosition;

  constructor(message: string, position: SourcePosition) {
    super(message);
    this.position = position;
  }
}

const typescriptParser = Parser.extend(tsPlugin());
const options: Options = { ecmaVersion: 'latest', locations: true, allowHashBang: true };

/** Parses a module or, if that fails, a script. Throws a SourceError. */
export function parseSource(text: string, isTypescript: boolean): Program {
  const parser = isTypescript ? typescriptParser : Parser;
  try {
    return parser.parse(text, { ...options, sourceType: 'module' });
  } catch (error) {
    try {
      return parser.parse(text, { ...options, sourceType: 'script', allowReturnOutsideFunction: true });
    } catch {
      throw sourceError(error);
    }
  }
}

/** Converts an error of acorn to a SourceError. Returns any other value unchanged. */
function sourceError(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !('loc' in error)) return error;
  const { line, column } = error.loc as { line: number; column: number };
  return new SourceError(error.message.replace(/ \(\d+:\d+\)$/, ''), { line, column: column + 1 });
}
