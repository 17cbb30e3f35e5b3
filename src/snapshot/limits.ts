/** Bounds on what a snapshot may make the program hold. Passing one is an error that names it. */
export const limits = {
  /** Bytes of all files of a snapshot, unpacked. */
  unpackedBytes: 16 * 2 ** 30,
  /** Bytes of all uploaded files that are unpacked from an archive. */
  uploadBytes: 64 * 2 ** 30,
  /** Bytes of one entry, or of one line of an export. */
  elementBytes: 64 * 2 ** 20,
  /** Bytes of a file that is read whole: types, components, roles. */
  fileBytes: 16 * 2 ** 20,
  /** Bytes of a snapshot in one file, which is read whole, too. */
  oneFileBytes: 128 * 2 ** 20,
  /** Levels of brackets in one entry. */
  depth: 256,
} as const;
