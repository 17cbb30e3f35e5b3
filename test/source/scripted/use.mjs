// loaded by `node --import` to read folders in place of Strapi projects
import { register } from 'node:module';

const hooks = `export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const isReplaced = resolved.url.endsWith('/dist-bundle/follow/project/create-reader.js');
  return isReplaced ? { ...resolved, url: ${JSON.stringify(new URL('./create-reader.mjs', import.meta.url).href)} } : resolved;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
