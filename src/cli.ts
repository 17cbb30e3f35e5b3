#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { tokenVariable } from './cli/admin-port.ts';
import type { ExplainFlags } from './cli/check.ts';
import type { DiffFlags } from './cli/diff.ts';
import type { ExportFlags } from './cli/export.ts';
import { type Flags, LecternCommand, loadFlags, readCount, readLimit, readUrl } from './cli/flags.ts';
import { health, settingsOfProcess } from './cli/health.ts';
import { init } from './cli/init.ts';
import type { OpenApiFlags } from './cli/openapi.ts';
import { type PinFlags, pin } from './cli/pin.ts';
import { addPreviewCommands } from './cli/preview-commands.ts';
import type { PullFlags } from './cli/pull.ts';
import { readerThreads } from './cli/reader-threads.ts';
import { describeFailure, exitCodes } from './cli/report.ts';
import { readSettings, settingsHelp, writeUsageError } from './cli/settings.ts';
import type { SourceFlags } from './cli/sources.ts';
import type { StatusFlags } from './cli/status.ts';
import type { TypesFlags } from './cli/types.ts';

// Commands that load a snapshot import their modules when they run: a usage error or a health check needs none of them.

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Returns the end of the help of a command. */
const examples = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;

const program = new LecternCommand('lectern')
  .description('Answers the read requests of a Strapi 5 REST API from memory.')
  .version(version)
  .exitOverride()
  .showHelpAfterError('Run "lectern --help" for usage.')
  .addHelpText('after', settingsHelp);

const serveCommand = program
  .command('serve')
  .description('load a snapshot and serve it')
  .configureOutput({ writeErr: writeUsageError })
  .argument(
    '[snapshots...]',
    'JSON snapshot (folder or .json file), Strapi export (.tar, .tar.gz or folder), prebuilt image, folder of a Strapi project, address of a Strapi, or address of a publication; NAME=SNAPSHOT for each of several contents',
  )
  .flags(
    'port',
    'host',
    'adminHost',
    'adminPort',
    'logLevel',
    'threads',
    'config',
    'dialect',
    'strict',
    'lenient',
    'mediaUrl',
    'uploadsOrigins',
    'public',
    'drafts',
    'upstream',
    'uploads',
    'noUploads',
    'cache',
    'extend',
    'watch',
    'follow',
    'noFollow',
    'token',
    'types',
    'database',
    'name',
    'cacheTags',
    'journal',
  )
  .addHelpText(
    'after',
    examples(
      'lectern serve ./my-strapi --port 1338',
      'lectern serve --database --types ./my-strapi',
      'lectern serve content.tar.gz --watch',
      'lectern serve https://cms.example.com --follow --cache cache',
      'lectern serve main=content.lectern next=./draft',
      'lectern serve redis://127.0.0.1:6379/0 --name site',
    ),
  )
  .action(async (snapshots: string[], { token, types, database, name, ...given }: Flags & SourceFlags) => {
    if (snapshots.length === 0 && !database) serveCommand.error("error: missing required argument 'snapshots'");
    const threads = readerThreads(snapshots, database);
    const { serve } = await import('./cli/serve.ts');
    await serve(snapshots, given, { token, types, database, name }, threads);
  });

program
  .command('health')
  .description('exit with 0 if the server with these settings responds, otherwise with 1')
  .flags('port', 'host', 'config')
  .option('--process <id>', 'read the flags from the command line of this process (Linux)')
  .addHelpText('after', examples('lectern health --port 1338'))
  .action(({ process: id, ...given }: Flags & { process?: string }) =>
    health(id === undefined ? readSettings(given).config : settingsOfProcess(id, serveCommand)),
  );

program
  .command('pin')
  .description('hold a running server at one of its last versions, serve the latest again, or list the versions')
  .argument('[version]', 'the version, or latest; without one, the versions are listed')
  .option('--url <url>', 'URL of the admin port', readUrl, 'http://127.0.0.1:1339')
  .option('--content <name>', 'one of several contents (the first)')
  .addHelpText('after', `\n${tokenVariable} holds a token of the setting admin.tokens that has the right "pin".`)
  .addHelpText('after', examples('lectern pin --url http://127.0.0.1:1339', 'lectern pin latest'))
  .action((version: string | undefined, given: PinFlags) => pin(version, given));

program
  .command('status')
  .description('print what a publisher has published, and which replicas serve it')
  .argument('<publication>', 'address of the publication, such as redis://127.0.0.1:6379/0')
  .requiredOption('--name <name>', 'name under which a publisher publishes')
  .flags('config', 'json')
  .addHelpText('after', examples('lectern status redis://127.0.0.1:6379/0 --name site'))
  .action(async (publication: string, { name, json, ...given }: Flags & StatusFlags) => {
    const { status } = await import('./cli/status.ts');
    await status(publication, { name, json }, readSettings(given).config);
  });

addPreviewCommands(program);

program
  .command('init')
  .description('write a small snapshot to start from')
  .argument('[folder]', 'a new or empty folder', 'content')
  .addHelpText('after', examples('lectern init content'))
  .action(init);

program
  .command('pull')
  .description('write the content of a Strapi as an export, which it reads over its REST API')
  .argument('<url>', 'address of a Strapi 5, such as https://cms.example.com')
  .requiredOption('--out <snapshot>', 'the export: a folder, or an archive if the name ends with .tar.gz')
  .flags('token')
  .option('--types <snapshot>', 'snapshot with the content types, for a token that may not read them')
  .option('--prefix <path>', 'prefix of the API (/api)')
  .option('--requests <number>', 'how many requests run at once (4)', readCount)
  .option('--uploads', 'download the uploaded files too')
  .addHelpText(
    'after',
    examples('LECTERN_SOURCE_TOKEN=TOKEN lectern pull https://cms.example.com --out content.tar.gz'),
  )
  .action(async (url: string, given: PullFlags) => {
    const { pull } = await import('./cli/pull.ts');
    await pull(url, given);
  });

program
  .command('build')
  .description('write a snapshot as a prebuilt image, with which a server starts faster')
  .argument('<snapshot>', 'as for serve')
  .requiredOption('--out <file>', 'the prebuilt image, such as content.lectern; its pictures go to content.uploads')
  .flags(...loadFlags, 'noUploads', 'cache')
  .addHelpText('after', examples('lectern build content.tar.gz --out content.lectern'))
  .action(async (snapshot: string, { out, ...given }: Flags & { out: string }) => {
    const { config } = readSettings(given);
    const { build } = await import('./cli/build.ts');
    await build(snapshot, out, config);
  });

program
  .command('export')
  .description('write what is served of a source, with the changes of a journal, as a JSON snapshot')
  .argument('[source]', 'as for serve')
  .requiredOption('--out <folder>', 'a new or empty folder')
  .flags('journal', ...loadFlags, 'noUploads', 'cache', 'token', 'types', 'database', 'name')
  .addHelpText('after', examples('lectern export content.tar.gz --journal changes.journal --out content'))
  .action(async (source: string | undefined, given: Flags & ExportFlags) => {
    if (source === undefined && !given.database) program.error("error: missing required argument 'source'");
    const { out, token, types, database, name, ...settings } = given;
    const { exportSnapshot } = await import('./cli/export.ts');
    await exportSnapshot(source, settings, { out, token, types, database, name });
  });

program
  .command('compact')
  .description('replace the changes in the journal of a stopped server by an image of the content beside it')
  .argument('<snapshot>', 'the snapshot to which the journal belongs, as for serve')
  .flags('journal', ...loadFlags)
  .addHelpText('after', examples('lectern compact content.tar.gz --journal changes.journal'))
  .action(async (snapshot: string, given: Flags) => {
    const { config } = readSettings(given);
    const { compact } = await import('./cli/build.ts');
    await compact(snapshot, config);
  });

program
  .command('check')
  .description('load a snapshot and report its content')
  .argument('<snapshot>', 'as for serve')
  .flags(...loadFlags, 'extend', 'json')
  .addHelpText('after', examples('lectern check content.tar.gz --strict'))
  .action(async (snapshot: string, { json, ...given }: Flags & { json?: boolean }) => {
    const { readSnapshotSettings } = await import('./cli/settings.ts');
    const settings = await readSnapshotSettings([snapshot], given);
    const { check } = await import('./cli/check.ts');
    await check(snapshot, settings, { json });
  });

program
  .command('diff')
  .description('print what changed between two snapshots; exit with 0 if they are equal, 1 if not, 2 after an error')
  .argument('<before>', 'as for serve')
  .argument('<after>', 'as for serve')
  .option('--limit <number>', 'lines of each content type and of each other list', readLimit, 40)
  .flags(...loadFlags, 'json')
  .addHelpText('after', examples('lectern diff before.tar.gz after.tar.gz --limit 10'))
  .action(async (before: string, after: string, { json, limit, ...given }: Flags & DiffFlags) => {
    try {
      const { config } = readSettings(given);
      const { diff } = await import('./cli/diff.ts');
      process.exitCode = await diff(before, after, config, { json, limit });
    } catch (error) {
      exitCodeOf(error);
      // 1 means that the snapshots differ
      process.exitCode = exitCodes.misused;
    }
  });

program
  .command('types')
  .description('write the types of the content for TypeScript, for lectern/client and the library')
  .argument('[snapshot]', 'as for serve')
  .option('--out <file>', 'the file to write, such as content.d.ts (printed)')
  .option('--role <type>', 'only what callers of this role may read, such as public')
  .option('--watch', 'write the file again when the schema changes')
  .flags(...loadFlags, 'token', 'types', 'database')
  .addHelpText(
    'after',
    examples('lectern types ./my-strapi --out src/content.d.ts --watch', 'lectern types https://cms.example.com'),
  )
  .action(async (snapshot: string | undefined, given: Flags & TypesFlags) => {
    if (snapshot === undefined && !given.database) program.error("error: missing required argument 'snapshot'");
    const { out, role, watch, token, types: from, database, ...settings } = given;
    const { types } = await import('./cli/types.ts');
    await types(snapshot, settings, { out, role, watch, token, types: from, database });
  });

program
  .command('openapi')
  .description('write an OpenAPI 3.1 document of the content')
  .argument('[snapshot]', 'as for serve')
  .option('--role <type>', 'role of the caller, such as public; by default everything that is not private is readable')
  .option('--out <file>', 'file for the document; by default it is printed')
  .flags(...loadFlags, 'token', 'types', 'database')
  .addHelpText('after', examples('lectern openapi content.tar.gz --role public --out openapi.json'))
  .action(async (snapshot: string | undefined, given: Flags & OpenApiFlags) => {
    if (snapshot === undefined && !given.database) program.error("error: missing required argument 'snapshot'");
    const { out, role, token, types, database, ...settings } = given;
    const { openapi } = await import('./cli/openapi.ts');
    await openapi(snapshot, settings, { out, role, token, types, database });
  });

program
  .command('routes')
  .description('propose the setting `routes` from the code of a Strapi project, without running it')
  .argument('[project]', 'folder of the project, with src/api in it', '.')
  .addHelpText('after', examples('lectern routes ./my-strapi'))
  .action(async (project: string) => {
    const { routes } = await import('./cli/routes.ts');
    routes(project);
  });

program
  .command('explain')
  .description('load a snapshot and print the query plan of a URL, with the time and cost of each stage')
  .argument('<snapshot>', 'as for serve')
  .argument('<url>', "such as '/api/articles?filters[slug]=x', optionally with http://host:port")
  .option('--role <type>', 'role of the caller, such as public; by default everything that is not private is readable')
  .flags(...loadFlags, 'extend', 'json')
  .addHelpText(
    'after',
    examples("lectern explain content.tar.gz '/api/articles?filters[title][$contains]=x' --role public"),
  )
  .action(async (snapshot: string, url: string, { json, role, ...given }: Flags & ExplainFlags) => {
    const { readSnapshotSettings } = await import('./cli/settings.ts');
    const settings = await readSnapshotSettings([snapshot], given);
    const { explain } = await import('./cli/check.ts');
    await explain(snapshot, url, settings, { json, role });
  });

// a reader such as `head` may end before the output does
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Prints an error and returns the exit code. */
function exitCodeOf(error: unknown): number {
  // Commander has printed its error already. --help and --version have code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.misused;
  const { code, message, unexpected } = describeFailure(error);
  console.error('lectern:', unexpected ?? message);
  return code;
}
