/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const nothing: JsonSchema = { type: 'null' };

/** A value, or one item of a list of values. */
export function anyOf(...schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

export function listOf(items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...more };
}

/** An object with these members and no others. */
export function closedObject(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', ...more, properties, additionalProperties: false };
}

/** Returns a pattern of the whole text. */
export function wholeText(pattern: string): string {
  return `^(?:${pattern})$`;
}

/** Returns a pattern of texts between commas, with blanks around them. */
export function commaList(item: string): string {
  return wholeText(`\\s*(?:${item})?\\s*(?:,\\s*(?:${item})?\\s*)*`);
}

/** Returns a pattern of one of some names. It matches nothing if there are none. */
export function oneOfNames(names: readonly string[]): string {
  return names.length === 0 ? '(?!)' : `(?:${names.map(escapePattern).join('|')})`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
