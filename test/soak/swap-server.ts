/**
 * A server that loads new content in its own thread: a swap then takes some milliseconds in place of the 300 that a new
 * thread needs for its modules, so that ten thousand take minutes. Its arguments are those of `lectern serve`.
 */
import { Command } from 'commander';
import { openContent } from '../../src/content/open.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readSources } from '../../src/model/settings/read-config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { handleSignals } from '../../src/server/log/process-events.ts';
import { LecternServer } from '../../src/server/server.ts';
import { serveContent } from '../support/serve-content.ts';

const command = new Command('serve').argument('<snapshot>').option('--config <file>').option('--port <number>');
const { args, opts } = command.parse(process.argv.slice(3), { from: 'user' });
const [snapshot] = args;
const { config, sourceOf } = readSources({ file: opts.call(command).config, flags: { port: 0 } });
const log = createLog(config.log);
const server = new LecternServer(config, log);
await server.listen();
handleSignals({ stop: () => server.stop(), reload: () => {} });
const content = await openContent(snapshot, config, sourceOf);
serveContent(server, content);
server.reloads.begin(['main'], async () => {
  const isNew = content.history.replace(await loadSnapshot(snapshot));
  return { isNew, version: content.summary.version, entries: 0 };
});
log.info({ address: server.address, adminAddress: server.adminAddress }, 'serving');
