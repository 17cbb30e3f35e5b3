/** The headers of uploaded files. */

/** Documents that browsers would run scripts of, under the name of the site. */
const isDocument = /\.(?:[sdpx]?html?|xhtml|xht|xml|xsl|xslt|mht|mhtml|hta)$/i;
const isDrawing = /\.svgz?$/i;

/** Scripts do not run, forms are not sent, and nothing is loaded but what the file brings along. */
const sandbox =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; sandbox";

/**
 * Strapi ends the names of uploaded files with random digits, so that another file has another name. Only "Replace
 * media" keeps a name.
 */
const hasHash = /_[0-9a-f]{10}\.[^.]+$|_[0-9a-f]{10}$/;

/** Seconds for which a file may be kept whose name may be used again. */
const reusedNameMaxAge = 3600;

/** Names and values of the headers of a file, besides those of the static middleware. */
export function headersOf(path: string, maxAge: number): [string, string][] {
  const headers: [string, string][] = [
    ['Cache-Control', cacheControlOf(path, maxAge)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ];
  const isActive = isDocument.test(path);
  if (isActive || isDrawing.test(path)) headers.push(['Content-Security-Policy', sandbox]);
  if (isActive) headers.push(['Content-Disposition', 'attachment']);
  return headers;
}

function cacheControlOf(path: string, maxAge: number): string {
  if (maxAge === 0) return 'public, max-age=0, must-revalidate';
  if (hasHash.test(path)) return `public, max-age=${maxAge}, immutable`;
  return `public, max-age=${Math.min(maxAge, reusedNameMaxAge)}`;
}
