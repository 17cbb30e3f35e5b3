/** Names of tables and columns, by the rules of Strapi's package @strapi/database (utils/identifiers). */
import { createHash } from 'node:crypto';
import snakeCase from 'lodash.snakecase';

const maxLength = 55;
const hashLength = 5;
const minTokenLength = 3;

/** A part of a name. Only compressible parts are shortened. `shortText` replaces the text of any other part. */
interface Token {
  readonly text: string;
  readonly compressible: boolean;
}

const compressible = (text: string): Token => ({ text, compressible: true });
const fixed = (text: string): Token => ({ text, compressible: false });

/**
 * Joins tokens by underscores. A name of more than 55 characters gets compressible tokens that share the space that is
 * left, and each shortened one ends with five hex digits of its hash.
 */
function joinTokens(tokens: readonly Token[]): string {
  const full = tokens.map(({ text }) => text).join('_');
  if (full.length <= maxLength) return full;
  const lengths = allocate(tokens);
  return tokens.map(({ text }, index) => shorten(text, lengths[index])).join('_');
}

/** Returns the length of each token. Space that short tokens leave is spread over the longer ones, one by one. */
function allocate(tokens: readonly Token[]): number[] {
  const count = tokens.filter((token) => token.compressible).length;
  const fixedLength = tokens.reduce((total, token) => total + (token.compressible ? 0 : token.text.length), 0);
  const available = maxLength - fixedLength - (tokens.length - 1);
  const share = Math.floor(available / count);
  const lengths = tokens.map((token) => (token.compressible ? Math.min(token.text.length, share) : token.text.length));
  let surplus = maxLength - (tokens.length - 1) - lengths.reduce((total, length) => total + length, 0);
  while (surplus > 0 && tokens.some(({ text }, index) => lengths[index] < text.length)) {
    for (let index = 0; index < tokens.length && surplus > 0; index++) {
      if (lengths[index] === tokens[index].text.length) continue;
      lengths[index]++;
      surplus--;
    }
  }
  return lengths;
}

/** Cuts a text to a length and ends it with its hash. Strapi rejects names that leave no room for that. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = Math.max(length - hashLength, minTokenLength);
  return text.slice(0, kept) + hashOf(text);
}

function hashOf(text: string): string {
  const digest = createHash('shake256', { outputLength: Math.ceil(hashLength / 2) })
    .update(text)
    .digest('hex');
  return digest.slice(0, hashLength);
}

/** The table of a type. `collectionName` is kept as it is written. */
export function tableName(collectionName: string): string {
  return joinTokens([compressible(collectionName)]);
}

/** The column of a scalar attribute. */
export function columnName(attribute: string): string {
  return joinTokens([compressible(snakeCase(attribute))]);
}

/** The table of the components of a type. */
export function componentTableName(collectionName: string): string {
  return joinTokens([compressible(collectionName), fixed('cmps')]);
}

/** The table of a relation. `table` is that of its owner. */
export function linkTableName(table: string, attribute: string): string {
  return joinTokens([compressible(snakeCase(table)), compressible(snakeCase(attribute)), fixed('lnk')]);
}

/** The table of a polymorphic list. `table` is that of its owner. */
export function polymorphicTableName(table: string, attribute: string): string {
  return joinTokens([compressible(snakeCase(table)), compressible(snakeCase(attribute)), fixed('mph')]);
}

/** The column that refers to a row, by the singular name of its type or the name of an attribute. */
export function idColumnName(name: string): string {
  return joinTokens([compressible(snakeCase(name)), fixed('id')]);
}

/** The column of the targets of a relation of a type to itself. */
export function inverseIdColumnName(name: string): string {
  return joinTokens([fixed('inv'), compressible(snakeCase(name)), fixed('id')]);
}

/** The column with the type of a polymorphic target. */
export function typeColumnName(attribute: string): string {
  return joinTokens([compressible(snakeCase(attribute)), fixed('type')]);
}

/** The column with the position in a list of rows of a type. */
export function orderColumnName(singularName: string): string {
  return joinTokens([compressible(snakeCase(singularName)), fixed('ord')]);
}

/** The column with the position on the other side of a many-to-many relation of a type to itself. */
export function inverseOrderColumnName(singularName: string): string {
  return joinTokens([fixed('inv'), compressible(snakeCase(singularName)), fixed('ord')]);
}
