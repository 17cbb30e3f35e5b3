/** Reports the contents that a start serves. */
import type { Logger } from 'pino';
import type { Content } from '../content/content.ts';
import type { ServedContents } from '../content/registry/served-contents.ts';
import { listedTypes } from '../http/home/examples.ts';
import type { Config } from '../model/settings/config.ts';
import { serverWarnings } from '../model/settings/read-config.ts';
import type { LecternServer } from '../server/server.ts';
import { counted, inferredLines, seconds, servedAs } from './report.ts';

/** Says what is served and where: a line of the log for each content, or text for people. */
export function announce(
  server: LecternServer,
  { contents, areChosen }: ServedContents,
  { log: { format } }: Config,
  log: Logger,
): void {
  for (const { name, content } of contents.all) {
    if (!content) continue;
    const shownName = areChosen ? name : undefined;
    if (format === 'json') logServing(log, server, content, shownName);
    else printServing(server, content, shownName);
  }
  if (format !== 'json' && server.adminAddress) console.log(`Its admin port is ${server.adminAddress}`);
}

/** Adds the warnings of server settings to those of the content, and logs them all. */
export function addAndLogWarnings(log: Logger, content: Content, config: Config): void {
  const { warnings } = content.history.latest.summary;
  warnings.push(...serverWarnings(config));
  for (const { message, ...warning } of warnings) log.warn(warning, message);
  const notice = accessNotice(content, config);
  if (notice !== null) log.warn(notice);
  void content.uploadsSettled.then((warnings) => {
    for (const warning of warnings) log.warn(warning);
  });
}

/** Maximum number of inferred types to print at start. */
const maxPrintedTypes = 12;

function logServing(
  log: Logger,
  { address, adminAddress }: LecternServer,
  { summary }: Content,
  content?: string,
): void {
  const { version, dialect, database, collation, types, loadMilliseconds } = summary;
  const inferred = summary.inferred ?? undefined;
  const loaded = {
    content,
    snapshot: version,
    dialect,
    database,
    collation: collation ?? undefined,
    types: types.length,
    entries: entriesOf(summary),
    loadMilliseconds,
    inferred,
  };
  log.info({ address, adminAddress: adminAddress ?? undefined, ...loaded }, 'serving');
}

function printServing({ address }: LecternServer, { summary }: Content, name?: string): void {
  const what = `${counted(entriesOf(summary), 'entry', 'entries')} of ${counted(summary.types.length, 'content type')}`;
  const loaded = `loaded in ${seconds(summary.loadMilliseconds)}`;
  const url = name === undefined ? address : `${address}${name}/`;
  console.log(`Lectern serves ${what} (${servedAs(summary)}) at ${url} - ${loaded}`);
  for (const line of inferredLines(summary, maxPrintedTypes)) console.log(line);
  console.log(`${url}#dialect shows how the two dialects differ`);
}

export function entriesOf({ types }: Content['summary']): number {
  return types.reduce((total, { entries }) => total + entries, 0);
}

/** Returns a notice if everyone or nobody without a token may read the content, otherwise null. */
function accessNotice(content: Content, { tokens, jwtSecret, public: isPublic }: Config): string | null {
  if (isPublic) return 'Everyone may read every content type (public). Use this for development only.';
  if (listedTypes(content).length > 0) return null;
  const open = 'Give the role "public" the permission to find, or start with --public for development.';
  const { credentials } = content.history.active.engine.access;
  return tokens.length > 0 || jwtSecret || credentials.secrets !== null
    ? `Callers without a token may read nothing. ${open}`
    : `Nobody may read this content: no role has the permission and no token is configured. ${open}`;
}
