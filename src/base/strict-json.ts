/** Strict parser for hand-written JSON. Reports the position of syntax errors and of duplicate keys. */
import { printParseErrorCode, visit } from 'jsonc-parser';

/** A syntax error or duplicate key. `offset` counts UTF-16 code units from the start of the text. */
interface JsonFault {
  readonly message: string;
  readonly offset: number;
}

/** A JSON syntax error. `offset` is null if the parser does not report it. */
export class JsonError extends Error {
  readonly offset: number | null;

  constructor(message: string, offset: number | null) {
    super(message);
    this.offset = offset;
  }
}

/** Parses JSON. Throws a JsonError for a syntax error. Its message quotes the text unless `mayHoldSecrets` is set. */
export function parseStrictJson(text: string, mayHoldSecrets = false): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = syntaxFault(text, mayHoldSecrets);
    if (fault) throw new JsonError(fault.message, fault.offset);
    throw new JsonError(mayHoldSecrets ? 'the JSON is malformed' : (error as Error).message, null);
  }
}

/** Returns the duplicate keys within each object of valid JSON, at the offset of each repetition. */
export function duplicateKeys(text: string): JsonFault[] {
  const faults: JsonFault[] = [];
  const objects: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void objects.push(new Set()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty: (key, offset) => {
      const keys = objects[objects.length - 1];
      if (keys.has(key)) faults.push({ message: `duplicate key ${JSON.stringify(key)}`, offset });
      keys.add(key);
    },
  });
  return faults;
}

/** A fault with its line and column, both counted from 1. */
interface LocatedFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Parses hand-written JSON. `faults` holds the syntax error or the duplicate keys. */
export function readStrictJson(
  text: string,
  mayHoldSecrets = false,
): { value: unknown; faults: readonly LocatedFault[] } {
  try {
    const value = parseStrictJson(text, mayHoldSecrets);
    return { value, faults: duplicateKeys(text).map((fault) => ({ ...fault, ...lineAndColumn(text, fault.offset) })) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const fault = { message: `invalid JSON: ${error.message}`, ...lineAndColumn(text, error.offset ?? text.length) };
    return { value: undefined, faults: [fault] };
  }
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: lines[lines.length - 1].length + 1 };
}

/** Messages by the error codes of jsonc-parser. */
const messagesByCode: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'malformed number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after the key',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "," or "}"',
  CloseBracketExpected: 'expected "," or "]"',
  EndOfFileExpected: 'expected the end of the text',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'unterminated string',
  UnexpectedEndOfNumber: 'incomplete number',
  InvalidUnicode: 'expected four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter: 'invalid escape sequence in a string',
  InvalidCharacter: 'unescaped control character in a string',
};

/** Returns the first syntax error, or null if the text is nested too deep for the parser. */
function syntaxFault(text: string, mayHoldSecrets: boolean): JsonFault | null {
  let fault: JsonFault | null = null;
  try {
    visit(
      text,
      {
        onError: (code, offset, length) => {
          const describeToken = () => (mayHoldSecrets ? 'unexpected text' : unexpectedToken(text, offset, length));
          fault ??= { message: messagesByCode[printParseErrorCode(code)] ?? describeToken(), offset };
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return fault;
}

function unexpectedToken(text: string, offset: number, length: number): string {
  return `unexpected ${JSON.stringify(text.slice(offset, offset + Math.min(length, 40)))}`;
}
