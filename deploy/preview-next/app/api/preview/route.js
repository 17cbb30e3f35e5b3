import { redirect } from 'next/navigation';
import { isPreviewName, isSecret, leavePreview, localPath, openPreview } from '../../../lib/preview.js';

/**
 * The address that an editor opens: /api/preview?secret=…&preview=spring&path=/articles/hello. Without `preview`, the
 * published pages are shown again.
 */
export async function GET(request) {
  const { searchParams } = new URL(request.url);
  const name = searchParams.get('preview');
  if (name === null) await leavePreview();
  else if (isSecret(searchParams.get('secret')) && isPreviewName(name)) await openPreview(name);
  else return new Response('The secret or the name of the preview is wrong', { status: 401 });
  redirect(localPath(searchParams.get('path')));
}
