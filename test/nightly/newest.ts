/** Maximum number of versions that are tried. */
const tried = 5;

/** Returns the stable versions of Strapi 5 up to a version, newest first. */
export function newestVersions(latest: string, published: readonly string[]): string[] {
  const stable = published.filter((version) => /^5\.\d+\.\d+$/.test(version) && compare(version, latest) <= 0);
  return stable.sort(compare).reverse().slice(0, tried);
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
