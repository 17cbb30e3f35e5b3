import { builtModule, openBuilt } from '../program.ts';
import type { Peer } from './peer.ts';

/** Lectern as it is built for users: from the URL, which it has to parse, to the reply. */
function lectern(name: string, title: string, caches: object, colour?: string): Peer {
  return {
    name,
    title,
    colour,
    readsSnapshot: true,
    loadCode: (opening) => import(builtModule('index.js', opening?.dist)),
    async open({ snapshot, opening }) {
      const { settings, authorization, dist } = opening ?? {};
      const content = await openBuilt(snapshot, { ...settings, ...caches }, dist);
      const caller = authorization ? { authorization } : {};
      return () =>
        ({ url }) => {
          const { status, body } = content.answer(url, caller);
          if (status !== 200 && !opening) throw new Error(`${url}: ${status} ${body}`);
          return body;
        };
    },
  };
}

/** Keeps no replies and no row sets, so that an answer is found anew each time. It still keeps the forms of queries. */
export const uncachedLectern = lectern('lectern', 'lectern', { cacheBytes: 0 });

export const cachedLectern = lectern('lectern-caches-on', 'lectern, caches on', {}, '#1c9a8f');
