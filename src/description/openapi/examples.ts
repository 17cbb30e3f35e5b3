/** Entries to show in a document. */
import type { AttributeDescription, TypeDescription } from '../describe-schema.ts';
import { scalarsOf } from './document-context.ts';
import { sorted } from './values.ts';

/** An entry that everyone may read, by attribute. */
export type KnownEntry = Readonly<Record<string, unknown>>;

/** Longer values, as JSON, would hide the rest of the document. */
const maxLength = 200;

/** Returns an entry of a type with all its scalars: with the values of a known one, and made-up values for the rest. */
export function exampleEntry(type: TypeDescription, known: KnownEntry = {}): object {
  const members = scalarsOf(type).map((attribute) => {
    const { name } = attribute;
    const isShown = Object.hasOwn(known, name) && isShort(known[name]);
    return [name, isShown ? known[name] : exampleValue(attribute)] as const;
  });
  return Object.fromEntries(members);
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= maxLength;
}

/** Returns a value that no content holds on purpose. */
function exampleValue({ name, type, values }: AttributeDescription): unknown {
  if (name === 'documentId') return 'a1b2c3d4e5f6a7b8c9d0e1f2';
  switch (type) {
    case 'integer':
    case 'float':
    case 'decimal':
      return 1;
    case 'biginteger':
      return '1';
    case 'timestamp':
      return '1769850000000';
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'time':
      return '09:30:00.000';
    case 'datetime':
      return '2026-01-31T09:00:00.000Z';
    case 'email':
      return 'ada@example.org';
    case 'enumeration':
      return values === null ? 'value' : (sorted(values)[0] ?? null);
    case 'json':
      return {};
    case 'array':
      return [];
    case 'blocks':
      return [{ type: 'paragraph', children: [{ type: 'text', text: name }] }];
    default:
      return name;
  }
}
