import { openBuilt } from '../program.ts';
import type { Peer } from './peer.ts';

/** Lectern as it is built for users: from the URL, which it has to parse, to the reply. */
function lectern(name: string, title: string, settings: object, colour?: string): Peer {
  return {
    name,
    title,
    colour,
    readsSnapshot: true,
    async open({ snapshot }) {
      const content = await openBuilt(snapshot, settings);
      return () =>
        ({ url }) => {
          const { status, body } = content.answer(url, {});
          if (status !== 200) throw new Error(`${url}: ${status} ${body}`);
          return body;
        };
    },
  };
}

/** Keeps no replies and no row sets, so that an answer is found anew each time. It still keeps the forms of queries. */
export const uncachedLectern = lectern('lectern', 'lectern', { cacheBytes: 0 });

export const cachedLectern = lectern('lectern-caches-on', 'lectern, caches on', {}, '#1c9a8f');
