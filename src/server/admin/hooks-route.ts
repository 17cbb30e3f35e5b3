import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview } from '../../core/problems.ts';
import type { AdminRoute } from './admin-routes.ts';
import { namedContent } from './named-content.ts';
import { readJsonOnly } from './read-body.ts';

/** Maximum size of a webhook. Strapi sends whole entries, with all that they populate. */
const maxBytes = 2 ** 20;

/**
 * Takes webhooks of Strapi as a sign that the source of the content of the query parameter `content`, by default the first
 * one, has changed. Their entries are never served: the source is read instead, after the reply. `served` returns null
 * while the first content is being loaded.
 */
export function hooksRoute(served: () => ServedContents | null): AdminRoute {
  return {
    method: 'post',
    path: '/_hooks/strapi',
    right: 'hooks',
    handle: async (request, response) => {
      const { entry } = namedContent(served(), request.url);
      const { source } = entry;
      if (!source) throw new NotFoundError(`The content "${entry.name}" does not follow a source`);
      const body = await readJsonOnly(request, { maxBytes });
      if (!isPlainObject(body)) throw new ValidationError(`body: must be an object, is ${preview(body)}`);
      source.hint(body);
      response.status(204).end();
    },
  };
}
