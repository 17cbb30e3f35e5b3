/** A malformed file. The message does not name the file. The caller adds it. */
export class BrokenFile extends Error {
  /** Byte offset of the error in the file, or null if unknown. */
  readonly offset: number | null;
  /** `:line:column` of the error, to append to the file name. Empty if unknown. */
  readonly location: string;

  constructor(message: string, offset: number | null = null, location?: { line: number; column: number }) {
    super(message);
    this.offset = offset;
    this.location = location ? `:${location.line}:${location.column}` : '';
  }
}
