/**
 * Returns the decoded path of a URL below the mount point, without slashes at its ends, or null if it cannot be that of
 * a file to be served: broken escapes, hidden files, empty names, `.` and `..`, backslashes and NUL.
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
