import { createHash, timingSafeEqual } from 'node:crypto';
import { cookies, draftMode } from 'next/headers';

/** The cookie that names the preview, and the one with which Next turns draft mode on. */
const nameCookie = 'preview';
const draftCookie = '__prerender_bypass';

/** Cookies that a browser also sends from a frame in the page of the editor's tool, or from pages of the site only. */
const shared = process.env.EDITOR_ORIGIN
  ? { path: '/', httpOnly: true, sameSite: 'none', secure: true, partitioned: true }
  : { path: '/', httpOnly: true, sameSite: 'lax' };

/** The name of a preview, as Lectern accepts it. */
export function isPreviewName(name) {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name ?? '');
}

/** Compares with PREVIEW_SECRET, in a time that does not depend on the text. Without PREVIEW_SECRET, no text is right. */
export function isSecret(text) {
  const digest = (value) => createHash('sha256').update(value).digest();
  const secret = process.env.PREVIEW_SECRET;
  return Boolean(secret) && timingSafeEqual(digest(text ?? ''), digest(secret));
}

/** Returns a path of the site: the given one, or `/` for anything that a browser would take for another site. */
export function localPath(path) {
  const site = 'http://site.invalid';
  const url = new URL(path !== null && URL.canParse(path, site) ? path : '/', site);
  const local = url.origin === site ? url.pathname + url.search : '/';
  return local.startsWith('//') ? '/' : local;
}

/** The name of the preview in draft mode, or null. */
export async function openedPreview() {
  const { isEnabled } = await draftMode();
  const name = isEnabled ? (await cookies()).get(nameCookie)?.value : null;
  return isPreviewName(name) ? name : null;
}

/** Turns draft mode on, with the name of a preview. */
export async function openPreview(name) {
  (await draftMode()).enable();
  const jar = await cookies();
  jar.set({ ...shared, name: nameCookie, value: name });
  // Next's own cookie would not reach a frame in a browser that keeps the cookies of other sites apart
  if (shared.partitioned) jar.set({ ...shared, name: draftCookie, value: jar.get(draftCookie).value });
}

/** Turns draft mode off. */
export async function leavePreview() {
  (await draftMode()).disable();
  const jar = await cookies();
  for (const name of shared.partitioned ? [nameCookie, draftCookie] : [nameCookie]) {
    jar.set({ ...shared, name, value: '', expires: new Date(0) });
  }
}
