import { openedPreview } from './preview.js';

/** The address of Lectern, such as http://127.0.0.1:1338. */
const address = process.env.LECTERN_URL;

/** Lectern does not show the preview: it has ended, or its changes do not fit the content any more. */
export class PreviewError extends Error {}

/** Asks for a path such as `/api/articles`: from the preview in draft mode, otherwise from the published content. */
export async function read(path) {
  const name = await openedPreview();
  const response =
    name === null
      ? await fetch(address + path, { next: { revalidate: 60 } })
      : await fetch(`${address}/${name}${path}`, {
          cache: 'no-store',
          headers: { Authorization: `Bearer ${process.env.PREVIEW_TOKEN}` },
        });
  const body = await response.json();
  if (response.ok) return body.data;
  throw name === null ? new Error(body.error.message) : new PreviewError(body.error.message);
}
