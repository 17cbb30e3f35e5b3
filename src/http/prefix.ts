/**
 * Returns the path and query string below a prefix, without the slash between them: `articles?sort=title` of
 * `/api/articles?sort=title`. Null for a URL that is not below the prefix.
 */
export function belowPrefix(url: string, prefix: string): string | null {
  if (url.startsWith(prefix) && url[prefix.length] === '/') return url.slice(prefix.length + 1);
  return url.includes('%') ? belowEncodedPrefix(url, prefix) : null;
}

/** The same where parts of the prefix are percent-encoded. An encoded slash does not separate parts. */
function belowEncodedPrefix(url: string, prefix: string): string | null {
  const mark = url.indexOf('?');
  const parts = (mark < 0 ? url : url.slice(0, mark)).split('/');
  const expected = prefix.split('/');
  if (parts.length <= expected.length) return null;
  try {
    if (!expected.every((part, i) => decodeURIComponent(parts[i]) === part)) return null;
  } catch {
    return null;
  }
  return parts.slice(expected.length).join('/') + (mark < 0 ? '' : url.slice(mark));
}
