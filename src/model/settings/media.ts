import { z } from 'zod';

/** Settings of media files and their addresses. */

export const httpUrl = z
  .string()
  .refine(isPlainHttpUrl, 'must be an http or https URL without credentials, query and fragment');

export const mediaFields = {
  mediaUrl: httpUrl
    .optional()
    .describe('Prefix for addresses of files in replies that begin with a slash, such as /uploads/a.png'),
  uploadsOrigins: z
    .array(z.string().refine(isHttpOrigin, 'must be an origin such as http://localhost:1337, without a path'))
    .overwrite((origins) => [...new Set(origins)].sort())
    .default([])
    .describe(
      'Origins of files in texts: in rich text, blocks and JSON, ORIGIN/uploads/… becomes /uploads/… with mediaUrl in front, while content is loaded',
    ),
  uploads: z
    .union([
      z.boolean(),
      z
        .string()
        .min(1)
        .refine(
          (text) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(text) || isPlainHttpUrl(text),
          'must be a folder or an http URL',
        ),
    ])
    .optional()
    .describe(
      'Source of the files at /uploads: the snapshot (true), a folder, or redirects to an http URL. Default: true for the server, false for the library',
    ),
  cacheDir: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder to which the files of an archive are unpacked, and which keeps the content of a followed Strapi. Default: a folder of the user in the temporary folder, which keeps none',
    ),
  uploadsMaxAge: z
    .int()
    .min(0)
    .max(31_536_000)
    .optional()
    .describe(
      'Seconds for which browsers and caches may keep an uploaded file whose name ends with random digits. Other files are kept for at most 3600 seconds. Default: 31536000, or 60 for all files if the content is read from a Strapi, which may replace them',
    ),
};

/** Whether a text is an http or https URL to which paths can be appended. */
export function isPlainHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:\/\//i.test(text) || /[?#\s\\]/.test(text)) return false;
  return url.username === '' && url.password === '';
}

/** Whether a text is the scheme, the host and perhaps the port of an http or https URL. */
function isHttpOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#\\@\s]+$/i.test(text) && URL.canParse(text);
}
