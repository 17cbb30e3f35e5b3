import type { Content } from '../../src/content/content.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import type { LecternServer } from '../../src/server/server.ts';

/** Serves the only content of a server. */
export function serveContent(server: LecternServer, content: Content): void {
  const entry = createEntry({ name: 'main', content, error: null, put: null });
  const contents = new Contents(entry);
  server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, null) });
}
