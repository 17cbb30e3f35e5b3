/** A broken file: the message says what is wrong, the caller adds which file. */
export class BrokenFile extends Error {
  /** The byte of the file at which it is broken; null where that is not known. */
  readonly offset: number | null;
  /** That place as `:line:column`, to be written behind the name of the file; empty where it is not known. */
  readonly place: string;

  constructor(message: string, offset: number | null = null, place?: { line: number; column: number }) {
    super(message);
    this.offset = offset;
    this.place = place ? `:${place.line}:${place.column}` : '';
  }
}
