/**
 * Returns the path and query string after a prefix and its slash, such as `articles?sort=title` for
 * `/api/articles?sort=title`. Returns null if the URL does not start with the prefix.
 */
export function belowPrefix(url: string, prefix: string): string | null {
  if (url.startsWith(prefix) && url[prefix.length] === '/') return url.slice(prefix.length + 1);
  return url.includes('%') ? belowEncodedPrefix(url, prefix) : null;
}

/** Does the same for a URL with percent-encoded segments. An encoded slash does not separate segments. */
function belowEncodedPrefix(url: string, prefix: string): string | null {
  const queryStart = url.indexOf('?');
  const segments = (queryStart < 0 ? url : url.slice(0, queryStart)).split('/');
  const expected = prefix.split('/');
  if (segments.length <= expected.length) return null;
  try {
    if (!expected.every((segment, i) => decodeURIComponent(segments[i]) === segment)) return null;
  } catch {
    return null;
  }
  return segments.slice(expected.length).join('/') + (queryStart < 0 ? '' : url.slice(queryStart));
}
