import type { TypeDescription } from './describe-schema.ts';

/** `api::article.article` is `Articles`, `plugin::upload.file` is `UploadFiles`, and `shared.seo` is `SharedSeo`. */
export function typeNameOf({ uid, kind, singularName, pluralName }: TypeDescription): string {
  const own = kind === 'singleType' ? singularName : pluralName;
  const origin = uid.startsWith('api::') ? '' : /^(?:plugin::)?([^.:]*)/.exec(uid)![1];
  const words = (kind === 'component' ? uid : `${origin}-${own}`).match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['type'];
  const name = words.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
  return /^\p{N}/u.test(name) ? `_${name}` : name;
}
