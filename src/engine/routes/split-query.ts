/** Splits a path at its first question mark. */
export function splitQuery(path: string): [pathname: string, queryString: string] {
  const mark = path.indexOf('?');
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
}
