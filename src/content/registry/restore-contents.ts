import type { Logger } from 'pino';
import { type ContentEntry, type Contents, createEntry } from './contents.ts';
import type { PutContent } from './put-content.ts';
import type { PutRules } from './put-rules.ts';

/** Where contents are restored to. */
interface Restoring {
  readonly contents: Contents;
  readonly rules: PutRules;
  readonly log: Logger;
}

/**
 * Serves the contents that were put before a restart. `load` makes the entry of one. A content that does not load is
 * logged, and keeps its name.
 */
export async function restoreContents(
  kept: readonly PutContent[],
  load: (put: PutContent) => Promise<ContentEntry>,
  { contents, rules, log }: Restoring,
): Promise<void> {
  const report = (content: string, problem: string | null) => {
    if (problem !== null) log.error({ content }, `a content is not served: ${problem}`);
  };
  for (const put of kept) {
    const nameProblem = rules.nameProblem(put.name);
    report(put.name, nameProblem);
    if (nameProblem !== null) continue;
    const entry = await load(put).catch(({ message }: Error) => {
      return createEntry({ name: put.name, content: null, error: message, put });
    });
    report(put.name, entry.error);
    if (put.hosts?.length) warnOfHosts(put.hosts, entry, contents, log);
    await contents.set(entry);
  }
  // checking all changes would delay the start, so the first use does
  for (const { name, preview } of contents.all) report(name, preview?.baseProblem ?? null);
}

function warnOfHosts(hosts: readonly string[], entry: ContentEntry, contents: Contents, log: Logger): void {
  const host = contents.hostOf(entry);
  const served = host === null ? `/${entry.name}/` : `/${entry.name}/ and ${host}`;
  log.warn(
    { content: entry.name, hosts },
    `a content was put with hosts, which do not choose it any more: it is served at ${served}. Put it again without hosts`,
  );
}
