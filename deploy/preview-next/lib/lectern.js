import { cookies, draftMode } from 'next/headers';

/** The address of Lectern, such as http://127.0.0.1:1338. */
const address = process.env.LECTERN_URL;

/** The cookie that names the preview which an editor has opened. */
export const previewCookie = 'preview';

/** The name of a preview, as Lectern accepts it. */
export function isPreviewName(name) {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name ?? '');
}

/** Asks for a path such as `/api/articles`: from the preview in draft mode, otherwise from the published content. */
export async function read(path) {
  const name = await openedPreview();
  const [base, options] =
    name === null
      ? [address, { next: { revalidate: 60 } }]
      : [`${address}/${name}`, { cache: 'no-store', headers: { Authorization: `Bearer ${process.env.PREVIEW_TOKEN}` } }];
  const response = await fetch(base + path, options);
  const body = await response.json();
  // a preview whose changes do not fit the content any more says why
  if (!response.ok) throw new Error(body.error.message);
  return body.data;
}

/** The name of the preview in draft mode, or null. */
export async function openedPreview() {
  const { isEnabled } = await draftMode();
  const name = isEnabled ? (await cookies()).get(previewCookie)?.value : null;
  return isPreviewName(name) ? name : null;
}
