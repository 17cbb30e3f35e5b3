/** What stands around entries where they are written, ready to be copied. */
export interface Delimiters {
  /** `,"name":`; nothing where a list stands alone. */
  readonly start: Buffer;
  /** All that is before the first entry, its brace included; what is between two; all that is after the last. */
  readonly open: Buffer;
  readonly between: Buffer;
  readonly close: Buffer;
  /** All of it where there is no entry. */
  readonly none: Buffer;
}

const between = Buffer.from('},{');

/** What stands where a list has no entries: the empty list, null, or nothing, not even its name. */
export type Emptiness = 'list' | 'null' | 'nothing';

/** The frame of a list, or of one entry or null. `wrapped`: they stand in `{"data": …}`. */
export function delimitersOf(
  start: string,
  many: boolean,
  wrapped: boolean,
  emptiness: Emptiness = 'list',
): Delimiters {
  const before = start + (wrapped ? '{"data":' : '');
  const after = wrapped ? '}' : '';
  return {
    start: Buffer.from(start),
    open: Buffer.from(`${before}${many ? '[' : ''}{`),
    between,
    close: Buffer.from(`}${many ? ']' : ''}${after}`),
    none: Buffer.from(
      emptiness === 'nothing' ? '' : `${before}${many && emptiness === 'list' ? '[]' : 'null'}${after}`,
    ),
  };
}
