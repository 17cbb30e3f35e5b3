import { z } from 'zod';

/** What a site adds to the queries that its clients send, and the module with its own code. */

const parameters = z
  .union(
    [z.record(z.string(), z.unknown()), z.string()],
    'must be an object of parameters, or the text of a query string',
  )
  .describe('Parameters by name, each a text or an object as the library takes it; or the text of a query string');

const routeQuery = z.strictObject({
  default: parameters.optional().describe('Parameters for requests that lack them'),
  set: parameters.optional().describe('Parameters that replace those of the request; null removes one'),
});

export const routeFields = {
  routes: z
    .record(
      z.string().describe('uid of a content type, such as api::article.article'),
      z.record(z.string().describe('Action of the route: find or findOne; of users also me and count'), routeQuery),
    )
    .default({})
    .describe('Query parameters that are added to requests over HTTP, by content type and action'),
  extend: z.string().min(1).optional().describe('Module with query hooks and custom routes (.js, .mjs, .ts)'),
};

/** Added parameters by content type and action, as they are configured. */
export type RouteSettings = z.output<typeof routeFields.routes>;
