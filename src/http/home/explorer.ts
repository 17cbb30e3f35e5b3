/** The page at `/_explorer` and its files. */
import type { RequestHandler } from 'express';
import type { Responder } from '../content-handler.ts';
import type { SendOptions } from '../send.ts';
import { createStaticPage } from './static-page.ts';

/** The origins from which the page may load something, besides its own. */
export interface ExplorerOrigins {
  readonly images: readonly string[];
}

/** The interface of content that the explorer uses. */
export interface ExplorerContent extends Pick<Responder, 'codings'> {
  /** Null if the explorer is switched off. */
  readonly explorer: ExplorerOrigins | null;
}

/** Creates the handler of the routes `/_explorer{/:file}`. It passes requests for other files on. */
export function createExplorer(content: ExplorerContent, refuseBody: SendOptions['refuseBody']): RequestHandler {
  return createStaticPage({
    name: 'explorer',
    images: () => content.explorer?.images ?? null,
    codings: () => content.codings,
    refuseBody,
  });
}
