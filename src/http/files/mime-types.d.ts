/** What Lectern and its tests use of `mime-types`. */
declare module 'mime-types' {
  /** Returns the `Content-Type` of a file extension such as `.svg`, in any case. False for an unknown one. */
  export function contentType(extension: string): string | false;
  /** The type of each known extension, without the dot. */
  export const types: Readonly<Record<string, string>>;
}
