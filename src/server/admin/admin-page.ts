import express, { type Router } from 'express';
import { createStaticPage } from '../../http/home/static-page.ts';

/** Paths that answer GET and HEAD without a token. */
export const pagePaths = ['/', '/_admin', '/_admin/admin.js', '/_admin/admin.css'];

/** Creates a router of the page at `/_admin`, to which `/` leads. The page is the same for everybody. */
export function createAdminPage(): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/', (_request, response) => response.redirect('_admin'));
  router.get('/_admin{/:file}', createStaticPage({ name: 'admin', images: () => [], codings: () => null }));
  return router;
}
