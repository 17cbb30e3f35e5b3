/**
 * Returns the decoded path of a URL relative to the mount point, without a leading slash. Returns null for a path that
 * is never served: invalid escapes, hidden files, empty segments, `.` and `..`, backslashes and NUL.
 */
export function pathBelow(url: string): string | null {
  const encoded = url.replace(/[?#].*$/s, '');
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return null;
  }
  if (!path.startsWith('/') || /[\\\0]/.test(path)) return null;
  const names = path.slice(1).split('/');
  return names.some((name) => name === '' || name.startsWith('.')) ? null : names.join('/');
}
