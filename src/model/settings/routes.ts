import { z } from 'zod';

/** The query parameters that are added by route, and the module with query hooks and custom routes. */

const parameters = z
  .union([z.record(z.string(), z.unknown()), z.string()], 'must be an object of parameters or a query string')
  .describe('An object of parameters, each a text or an object as in the library, or a query string');

const routeQuery = z.strictObject({
  default: parameters.optional().describe('Parameters that are added if the request lacks them'),
  set: parameters.optional().describe('Parameters that replace those of the request; null removes one'),
});

export const routeFields = {
  routes: z
    .record(
      z.string().describe('uid of a content type, such as api::article.article'),
      z.record(z.string().describe('Action of the route: find or findOne; for users also me and count'), routeQuery),
    )
    .default({})
    .describe('Query parameters that are added to HTTP requests, by content type and action'),
  extend: z.string().min(1).optional().describe('Module with query hooks and custom routes (.js, .mjs, .ts)'),
};
