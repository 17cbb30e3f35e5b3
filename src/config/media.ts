import { z } from 'zod';

/** What can be set about media files and their addresses. */

const httpUrl = z
  .string()
  .refine(isPlainHttpUrl, 'must be an http or https URL without credentials, query and fragment');

export const mediaFields = {
  mediaUrl: httpUrl
    .optional()
    .describe('Written in front of the addresses of files that begin with a slash, such as /uploads/a.png, in replies'),
};

/** Whether paths can be appended to the text to form URLs. */
export function isPlainHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:\/\//i.test(text) || /[?#\s\\]/.test(text)) return false;
  return url.username === '' && url.password === '';
}
