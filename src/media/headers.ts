/** The headers of uploaded files. */

/** Documents whose scripts a browser would run in the origin of the site. */
const isDocument = /\.(?:[sdpx]?html?|xhtml|xht|xml|xsl|xslt|mht|mhtml|hta)$/i;
const isDrawing = /\.svgz?$/i;

/** Blocks scripts, forms and external resources. */
const sandbox =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; sandbox";

/**
 * Strapi appends random digits to the names of uploaded files, so a name identifies its content. Only "Replace media"
 * reuses a name.
 */
const hasHash = /_[0-9a-f]{10}\.[^.]+$|_[0-9a-f]{10}$/;

/** Maximum `max-age` of a file whose name can be reused, in seconds. */
const reusedNameMaxAge = 3600;

/** Returns the headers of a file, in addition to those of the static middleware. */
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
