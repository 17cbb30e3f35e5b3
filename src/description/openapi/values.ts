/** The values of scalar attributes: as replies hold them, and as filters compare them. */
import type { ScalarType } from '../../model/schema/schema.ts';
import type { AttributeDescription, SchemaDescription } from '../describe-schema.ts';
import type { Components } from './components.ts';
import { type JsonSchema, listOf } from './json-schema.ts';

const text = { type: 'string' };
const digits = { type: 'string', pattern: '^-?\\d+$' };

/** Returns the schema of a value in a reply. It may be null unless every entry has one. */
export function replyValue({ name, type, values }: AttributeDescription, components: Components): JsonSchema {
  if (name === 'id') return { type: 'integer' };
  if (name === 'documentId') return text;
  switch (type) {
    case 'enumeration':
      // entries may be older than the values of the definition
      return values === null ? orNull(text) : { type: ['string', 'null'], enum: [...sorted(values), null] };
    case 'integer':
      return orNull({ type: 'integer' });
    case 'float':
    case 'decimal':
      return orNull({ type: 'number' });
    case 'boolean':
      return orNull({ type: 'boolean' });
    case 'biginteger':
      return orNull({ ...digits, description: 'A 64-bit integer as text.' });
    case 'timestamp':
      return orNull({ ...digits, description: 'Milliseconds since 1970 as text.' });
    case 'date':
    case 'time':
      return orNull({ ...text, ...timeFormats[type] });
    case 'datetime':
      return orNull({ ...text, format: 'date-time' });
    case 'json':
      return { description: 'Any JSON.' };
    case 'array':
      return { type: ['array', 'null'], items: {} };
    case 'blocks':
      return { type: ['array', 'null'], items: blockSchema(components) };
    case 'richtext':
      return { anyOf: [orNull(text), listOf(blockSchema(components))] };
    default:
      return orNull(text);
  }
}

const timeFormats = {
  date: { format: 'date' },
  time: { pattern: '^\\d\\d:\\d\\d:\\d\\d' },
} as const;

function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

function blockSchema(components: Components): JsonSchema {
  return components.shared('Block', () => {
    const itself = components.shared('Block', () => ({}));
    return {
      type: 'object',
      description: 'A block of rich text, or a node in one.',
      additionalProperties: true,
      properties: { type: text, text, children: listOf(itself) },
    };
  });
}

/** Attributes of one kind are compared with operands of one form. */
export type OperandKind = 'Text' | 'Number' | 'BigInteger' | 'Boolean' | 'Date' | 'Time' | 'DateTime' | 'Json' | 'List';

export function operandKindOf(type: ScalarType): OperandKind {
  switch (type) {
    case 'integer':
    case 'float':
    case 'decimal':
      return 'Number';
    case 'biginteger':
      return 'BigInteger';
    case 'boolean':
      return 'Boolean';
    case 'date':
      return 'Date';
    case 'time':
      return 'Time';
    case 'datetime':
    case 'timestamp':
      return 'DateTime';
    case 'json':
    case 'blocks':
      return 'Json';
    case 'array':
      return 'List';
    default:
      return 'Text';
  }
}

/** A query string holds texts, so every operand may be one. */
const operands: Readonly<Record<Exclude<OperandKind, 'Boolean'>, JsonSchema>> = {
  Text: text,
  Number: { type: ['number', 'string'], pattern: '^\\s*[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?\\s*$' },
  BigInteger: { type: ['integer', 'string'], pattern: '^\\s*[+-]?\\d{1,400}\\s*$' },
  Date: { ...text, description: '`2026-01-31`', pattern: '^\\s*\\d{4}-\\d\\d-\\d\\d' },
  Time: { ...text, description: '`09:30:00`', pattern: '\\d' },
  DateTime: {
    type: ['string', 'integer'],
    description: '`2026-01-31T09:30:00.000Z`, or milliseconds since 1970',
    pattern: '\\d',
  },
  Json: { ...text, description: 'JSON as text' },
  List: {},
};

/** Returns the schema of an operand, without null. */
export function operandSchema(kind: OperandKind, dialect: SchemaDescription['dialect']): JsonSchema {
  return kind === 'Boolean' ? flagSchema(dialect) : operands[kind];
}

/** Returns the schema of a value that is true or false. The dialect `strapi` takes every other text for true. */
export function flagSchema(dialect: SchemaDescription['dialect']): JsonSchema {
  return { type: ['boolean', 'string'], ...(dialect === 'document' ? { pattern: flagWords } : {}) };
}

/** `true`, `t`, `1`, `false`, `f` and `0`, in upper or lower case. */
const flagWords = '^(?:[01]|[tT](?:[rR][uU][eE])?|[fF](?:[aA][lL][sS][eE])?)$';

export function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}
