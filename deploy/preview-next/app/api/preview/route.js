import { cookies, draftMode } from 'next/headers';
import { redirect } from 'next/navigation';
import { isPreviewName, previewCookie } from '../../../lib/lectern.js';

/**
 * The address that an editor opens: /api/preview?secret=…&preview=spring&path=/articles/hello. Without `preview`, the
 * published pages are shown again.
 */
export async function GET(request) {
  const { searchParams } = new URL(request.url);
  const name = searchParams.get('preview');
  const path = searchParams.get('path') ?? '/';
  const draft = await draftMode();
  if (name === null) {
    draft.disable();
    (await cookies()).delete(previewCookie);
    redirect(localPath(path));
  }
  if (searchParams.get('secret') !== process.env.PREVIEW_SECRET || !isPreviewName(name)) {
    return new Response('The secret or the name of the preview is wrong', { status: 401 });
  }
  draft.enable();
  (await cookies()).set(previewCookie, name, { httpOnly: true, sameSite: 'lax', path: '/' });
  redirect(localPath(path));
}

/** Redirects to other sites are not possible. */
function localPath(path) {
  return /^\/(?![/\\])/.test(path) ? path : '/';
}
