import { tokenVariable } from './admin-port.ts';
import { type LecternCommand, readLimit, readUrl } from './flags.ts';
import type { ApplyFlags, ChangesFlags, PreviewFlags, RebaseFlags } from './previews.ts';

/** Adds `lectern previews` with its commands. Their module is imported when one runs. */
export function addPreviewCommands(program: LecternCommand): void {
  const previews = program
    .command('previews')
    .description('list the previews of a running server, compare one with its base, apply or rebase it')
    .addHelpText(
      'after',
      `\n${tokenVariable} holds a token of the setting admin.tokens that has the right "contents"; apply and rebase need "changes", too.`,
    );
  const add = (name: string, description: string, options = {}) =>
    previews
      .command(name, options)
      .description(description)
      .option('--url <url>', 'URL of the admin port', readUrl, 'http://127.0.0.1:1339');
  const addNamed = (name: string, description: string) => add(name, description).argument('<name>', 'the preview');

  add('list', 'list the previews', { isDefault: true }).action(async (flags: PreviewFlags) => {
    const { listPreviews } = await import('./previews.ts');
    await listPreviews(flags);
  });
  addNamed('show', 'print what a preview is, and whether it fits its base').action(
    async (name: string, flags: PreviewFlags) => {
      const { showPreview } = await import('./previews.ts');
      await showPreview(name, flags);
    },
  );
  addNamed('changes', 'print the difference of a preview to its base')
    .option('--limit <number>', 'lines of each content type', readLimit, 40)
    .option('--json', 'print the changes and the difference as JSON')
    .action(async (name: string, flags: ChangesFlags) => {
      const { printChanges } = await import('./previews.ts');
      await printChanges(name, flags);
    });
  addNamed('apply', 'apply the changes of a preview to its base')
    .option('--documents <documents...>', 'only these: TYPE/DOCUMENTID, or TYPE/DOCUMENTID?locale=fr&status=draft')
    .option('--previous <version>', 'apply nothing unless this is the latest version of the base')
    .option('--without-journal', 'apply to a base that loses the changes at its next restart')
    .option('--key <key>', 'Idempotency-Key, with which the command can be repeated')
    .action(async (name: string, flags: ApplyFlags) => {
      const { applyPreview } = await import('./previews.ts');
      await applyPreview(name, flags);
    });
  addNamed('rebase', 'take the changes of a preview over to its base as it is now')
    .option('--take <side>', 'decide all conflicts for the base or the preview')
    .option('--previous <version>', 'do nothing unless this is the latest version of the base')
    .action(async (name: string, flags: RebaseFlags) => {
      const { rebasePreview } = await import('./previews.ts');
      await rebasePreview(name, flags);
    });
}
