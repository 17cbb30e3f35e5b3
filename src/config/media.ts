import { z } from 'zod';

/** What can be set about media files and their addresses. */

const httpUrl = z
  .string()
  .refine(isPlainHttpUrl, 'must be an http or https URL without credentials, query and fragment');

export const mediaFields = {
  mediaUrl: httpUrl
    .optional()
    .describe('Written in front of the addresses of files that begin with a slash, such as /uploads/a.png, in replies'),
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
      'What is served at /uploads: the files of the snapshot (true), those of a folder, or a redirect to an http URL; the server defaults to true, the library to false',
    ),
  cacheDir: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Folder in which the files of an archive are unpacked; by default one of the user's in the temporary folder",
    ),
  uploadsMaxAge: z
    .int()
    .min(0)
    .max(31_536_000)
    .default(31_536_000)
    .describe(
      'Seconds for which browsers and caches may keep an uploaded file whose name ends with random digits; others for at most 3600',
    ),
};

/** Whether paths can be appended to the text to form URLs. */
export function isPlainHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:\/\//i.test(text) || /[?#\s\\]/.test(text)) return false;
  return url.username === '' && url.password === '';
}
