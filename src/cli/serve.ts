import { type Config, openOptions } from '../config.ts';
import { type Content, open } from '../index.ts';
import { keepTick } from '../server/kept-tick.ts';
import { ListenError } from '../server/listening.ts';
import { createLog } from '../server/log.ts';
import { LecternServer } from '../server/server.ts';
import { counted, Failure, printWarnings, seconds, servedAs } from './report.ts';

/** Serves a snapshot until a signal ends the process. The server listens while the snapshot is being loaded. */
export async function serve(snapshot: string, config: Config): Promise<void> {
  keepTick();
  const server = new LecternServer(config, createLog(config.log));
  await server.listen().catch((error: unknown) => {
    throw error instanceof ListenError ? new Failure(error.message) : error;
  });
  stopOnSignal(server);

  const content = await open(snapshot, { ...openOptions(config), uploads: config.uploads ?? true }).catch(
    (error: unknown) => {
      void server.stop();
      throw error;
    },
  );
  const { summary } = content;
  printWarnings(summary.warnings);
  const notice = accessNotice(content, config);
  if (notice !== null) console.error(`warning: ${notice}`);
  void content.uploadsSettled.then(printWarnings);
  server.serve(content);

  const entries = summary.types.reduce((total, type) => total + type.entries, 0);
  const what = `${counted(entries, 'entry', 'entries')} of ${counted(summary.types.length, 'content type')}`;
  const loaded = `loaded in ${seconds(summary.loadMilliseconds)}`;
  console.log(`Lectern serves ${what} (${servedAs(summary)}) at ${server.address} - ${loaded}`);
  console.log(`${server.address}#dialect shows how the two dialects differ`);
  if (server.adminAddress) console.log(`Its admin port is ${server.adminAddress}`);
}

/** What a newcomer should know about who may read; null if there is nothing to say. */
function accessNotice(content: Content, { tokens, jwtSecret, public: isPublic }: Config): string | null {
  if (isPublic) return 'Everybody may read every content type (public). Use this for development only.';
  if (content.schemaOverview().length > 0) return null;
  const open = 'Give the role "public" the permission to find, or start with --public for development.';
  return tokens.length > 0 || jwtSecret
    ? `Callers without a token may read nothing. ${open}`
    : `Nobody may read this content: no role has the permission and no token is configured. ${open}`;
}

/** SIGTERM and SIGINT let requests under way finish, and exit with 0; a second signal does not wait. */
function stopOnSignal(server: LecternServer): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(0);
    isStopping = true;
    void server.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
