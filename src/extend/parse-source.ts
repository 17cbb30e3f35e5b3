/** Parses JavaScript and TypeScript without running it. */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type Options, Parser, type Program } from 'acorn';

/** A place in a file, counted from one. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

/** A file that is neither JavaScript nor TypeScript. */
export class SourceError extends Error {
  readonly place: SourcePlace;

  constructor(message: string, place: SourcePlace) {
    super(message);
    this.place = place;
  }
}

const typed = Parser.extend(tsPlugin());
const options: Options = { ecmaVersion: 'latest', locations: true, allowHashBang: true };

/** Parses a module or, where that fails, a script. Throws a SourceError. */
export function parseSource(text: string, isTyped: boolean): Program {
  const parser = isTyped ? typed : Parser;
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

function sourceError(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !('loc' in error)) return error;
  const { line, column } = error.loc as { line: number; column: number };
  return new SourceError(error.message.replace(/ \(\d+:\d+\)$/, ''), { line, column: column + 1 });
}
