/** Output of the commands. */
import { JournalError } from '../changes/journal/errors.ts';
import type { ContentSummary } from '../content/versions/summary.ts';
import { messageOf, SnapshotError } from '../core/errors.ts';
import { formatNumber, type SnapshotWarning } from '../core/problems.ts';
import { ConfigError } from '../model/settings/config.ts';
import { PublicationError } from '../publication/publication.ts';
import { ListenError } from '../server/connections/listening.ts';

/** An error for the user: printed in one line, without a stack, with exit code 1. */
export class Failure extends Error {}

/** Prints warnings to stderr. Only the result of a command goes to stdout. */
export function printWarnings(warnings: readonly SnapshotWarning[]): void {
  for (const { message } of warnings) console.error(`warning: ${message}`);
}

/** Returns lines about types that were inferred from data: the first `limit` types, and who may read them. */
export function inferredLines({ inferred }: ContentSummary, limit = Number.POSITIVE_INFINITY): string[] {
  if (inferred === null) return [];
  const more = inferred.length - limit;
  return [
    'Types inferred from the data:',
    ...inferred.slice(0, limit).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${formatNumber(more)} more ("lectern check" lists all)`] : []),
    'The role "public" may read all of them.',
  ];
}

/** Prints a result as JSON. */
export function printJson(value: object): void {
  console.log(JSON.stringify(value, null, 2));
}

/** `1 entry`, `3,012 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const databaseLabels = { postgres: 'PostgreSQL', sqlite: 'SQLite', mysql: 'MySQL' };

/** Describes the dialect, the database if it is not PostgreSQL, and for content of Strapi 4 also its version and the reply format. */
export function servedAs({ dialect, database, collation, strapiVersion, responseFormat }: ContentSummary): string {
  const source = strapiVersion?.startsWith('4') ? `, content of Strapi ${strapiVersion}` : '';
  const texts = collation === null ? '' : ` with ${collation}`;
  const rules = database === 'postgres' ? '' : `, rules of ${databaseLabels[database]}${texts}`;
  return `${dialect} dialect${rules}${source}${responseFormat === 'v4' ? ', v4 reply format' : ''}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 100 ? 2 : 1)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Formats rows as aligned columns. Right-aligns the columns with an index in `right`. */
export function table(rows: string[][], right: number[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (text: string, column: number) =>
    right.includes(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** Exit codes: 1 for an error of the snapshot or the system, 2 for a wrong command or setting. */
export const exitCodes = { failed: 1, misused: 2 };

/** The exit code and message of a failed command. */
interface CommandFailure {
  readonly code: number;
  readonly message: string;
  /** The error if it is unexpected, to print its stack. */
  readonly unexpected?: unknown;
}

export function describeFailure(error: unknown): CommandFailure {
  const code = error instanceof ConfigError ? exitCodes.misused : exitCodes.failed;
  const message = messageOf(error);
  const kinds = [SnapshotError, ConfigError, JournalError, ListenError, PublicationError, Failure];
  // system errors such as ENOENT have complete messages
  const isExpected = kinds.some((kind) => error instanceof kind) || (error instanceof Error && 'syscall' in error);
  return isExpected ? { code, message } : { code, message, unexpected: error };
}
