/**
 * Returns what a message says of a file of a format later than `current`: "has the format 4, and …". Null for other formats, and
 * for what is no format.
 */
export function describeLaterFormat(format: unknown, current: number): string | null {
  if (typeof format !== 'number' || !(format > current)) return null;
  return `has the format ${format}, and this version of Lectern reads up to ${current}. Use a newer version`;
}
