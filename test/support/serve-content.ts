import type { Content } from '../../src/content.ts';
import { Contents, createEntry } from '../../src/contents/contents.ts';
import type { LecternServer } from '../../src/server/server.ts';

/** Serves the only content of a server. */
export function serveContent(server: LecternServer, content: Content): void {
  const entry = createEntry({ name: 'main', hosts: [], content, error: null, put: null });
  server.serveContents({ contents: new Contents(entry), areChosen: false, stored: null });
}
