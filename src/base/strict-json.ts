/** JSON that people write: parsed strictly, with the place of what is wrong and of keys that are given twice. */
import { printParseErrorCode, visit } from 'jsonc-parser';

/** What is wrong in a text, and where: a number of UTF-16 units from its start. */
export interface JsonFault {
  readonly message: string;
  readonly offset: number;
}

/** Why a text is not JSON. `offset` is null where the parser does not say. */
export class JsonError extends Error {
  readonly offset: number | null;

  constructor(message: string, offset: number | null) {
    super(message);
    this.offset = offset;
  }
}

/** Parses a text. Throws a JsonError, whose message quotes the text unless it may hold a secret. */
export function parseStrictJson(text: string, mayHoldSecrets = false): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = syntaxFault(text, mayHoldSecrets);
    if (fault) throw new JsonError(fault.message, fault.offset);
    throw new JsonError(mayHoldSecrets ? 'the text is malformed' : (error as Error).message, null);
  }
}

/** Returns the keys that stand twice in one object of a valid text, each at its second place. */
export function duplicateKeys(text: string): JsonFault[] {
  const faults: JsonFault[] = [];
  const objects: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void objects.push(new Set()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty: (key, offset) => {
      const keys = objects[objects.length - 1];
      if (keys.has(key))
        faults.push({ message: `the key ${JSON.stringify(key)} is given twice in one object`, offset });
      keys.add(key);
    },
  });
  return faults;
}

/** A fault with its place in the text, both from 1. */
export interface PlacedFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Parses a text that a person wrote. `faults` says why it is not JSON, or which keys are given twice. */
export function readStrictJson(
  text: string,
  mayHoldSecrets = false,
): { value: unknown; faults: readonly PlacedFault[] } {
  try {
    const value = parseStrictJson(text, mayHoldSecrets);
    return { value, faults: duplicateKeys(text).map((fault) => ({ ...fault, ...placeInText(text, fault.offset) })) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const fault = { message: `it is not JSON: ${error.message}`, ...placeInText(text, error.offset ?? text.length) };
    return { value: undefined, faults: [fault] };
  }
}

function placeInText(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: lines[lines.length - 1].length + 1 };
}

/** By the names that the parser has for what it did not expect. */
const expectations: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after the key',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "," or "}"',
  CloseBracketExpected: 'expected "," or "]"',
  EndOfFileExpected: 'expected the end of the text',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'the closing quote of a text is missing on its line',
  UnexpectedEndOfNumber: 'a number is cut off',
  InvalidUnicode: 'expected four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter: 'a text holds an escape that JSON does not have',
  InvalidCharacter: 'a text holds a control character',
};

/** The first fault of a text that is not JSON. Null if it is nested too deep to be looked at. */
function syntaxFault(text: string, mayHoldSecrets: boolean): JsonFault | null {
  let fault: JsonFault | null = null;
  try {
    visit(
      text,
      {
        onError: (code, offset, length) => {
          const unknown = () => (mayHoldSecrets ? 'unexpected text' : unknownToken(text, offset, length));
          fault ??= { message: expectations[printParseErrorCode(code)] ?? unknown(), offset };
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return fault;
}

function unknownToken(text: string, offset: number, length: number): string {
  return `unexpected ${JSON.stringify(text.slice(offset, offset + Math.min(length, 40)))}`;
}
