import { hash } from 'node:crypto';
import type { Content } from '../content/content.ts';
import { reloadContent } from '../content/registry/reload-content.ts';
import type { ServedContents } from '../content/registry/served-contents.ts';
import type { FollowedSource } from '../follow/followed-source.ts';
import { collectGarbage } from '../server/collect-garbage.ts';
import { versionText } from '../store/content-version.ts';

/** Keeps the content of this name equal to its source, until it is deleted. `onReplaced` is called with other content. */
export function followSource(
  served: ServedContents,
  name: string,
  source: FollowedSource,
  onReplaced: (content: Content) => void,
): void {
  const { contents, live } = served;
  const entry = contents.get(name)!;
  const content = entry.content!;
  contents.onChange(() => {
    if (contents.get(name) !== entry) void source.close();
  });
  source.follow({
    get loaded() {
      return content.served.loaded;
    },
    get version() {
      const { loaded, version } = content.served;
      return `${versionText(version)} ${hash('sha256', JSON.stringify([loaded.apiTokens, loaded.emailConfirmation]))}`;
    },
    async apply(batch) {
      await live!.of(entry)!.change({ previous: null, form: 'batch', given: batch }, null);
    },
    async replace(loaded, started) {
      const isNew = await reloadContent(served, entry, loaded, { started });
      setImmediate(collectGarbage);
      if (isNew) onReplaced(content);
      return isNew;
    },
  });
}
