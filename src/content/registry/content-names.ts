/** The names of contents. A name begins hosts and paths, so it is a label of DNS in lower case. */

/** The content of a snapshot without a name. */
export const defaultName = 'main';

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns why a text cannot name a content, or null. `prefix` is the path before the routes of content. */
export function nameProblem(name: string, prefix: string): string | null {
  if (!label.test(name)) {
    return `${JSON.stringify(name)} cannot name a content: a name has 1 to 63 characters of a-z, 0-9 and -, and neither begins nor ends with -`;
  }
  // capitals do not matter in the prefix
  const [, first] = prefix.toLowerCase().split('/');
  if (name === 'uploads' || name === first) {
    return `"${name}" cannot name a content: the server uses the path /${name}`;
  }
  return null;
}
