/** Bounds on what a snapshot may make the program hold. Passing one is an error that names it. */
export const limits = {
  /** Bytes of all files of a snapshot, unpacked. */
  unpackedBytes: 16 * 2 ** 30,
  /** Bytes of all uploaded files that are unpacked from an archive. */
  uploadBytes: 64 * 2 ** 30,
  /** Files in an archive, whatever they are. */
  archivedFiles: 2_000_000,
  /** Bytes of the headers of one file in an archive, such as PAX headers, with the zeros before them. */
  headerBytes: 2 ** 20,
  /** Bytes of an archive in which no file begins, beyond the contents of the last one: headers and zeros. */
  bytesWithoutFile: 32 * 2 ** 20,
  /** Bytes of one entry, or of one line of an export. */
  elementBytes: 64 * 2 ** 20,
  /**
   * Values in one entry, line or file that is read whole, counted by their commas and opening brackets: `{},` counts
   * twice. An empty object takes 100 bytes.
   */
  elementValues: 2_000_000,
  /** Bytes of a file that is read whole: types, components, roles. */
  fileBytes: 16 * 2 ** 20,
  /** Bytes of all definitions of types, and of all files beside the entries, together. */
  definitionBytes: 64 * 2 ** 20,
  /** Bytes of a snapshot in one file, which is read whole, too. */
  oneFileBytes: 128 * 2 ** 20,
  /** Values in a snapshot in one file. */
  oneFileValues: 10_000_000,
  /** Bytes of white space between the lines of a file, or behind its array. */
  blankBytes: 2 ** 20,
  /** Levels of brackets in one entry, line or file that is read whole. */
  depth: 256,
  /** Content types and components. */
  types: 5_000,
  /** Attributes of one type, and of all types. */
  attributes: 5_000,
  allAttributes: 100_000,
  /** Locales of a JSON snapshot. */
  locales: 1_000,
} as const;
