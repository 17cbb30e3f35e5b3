/** The page of a night, as Markdown. */
import type { Outcome } from './run-step.ts';

/** `versions` are of all programs that took part, by name. */
export function pageOf(date: Date, versions: Readonly<Record<string, string>>, outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ failure }) => failure === null).length;
  return [
    `# Nightly run of ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    '',
    ...table(['program', 'version'], Object.entries(versions)),
    '',
    ...table(['step', 'result', 'minutes', 'counts', 'log'], outcomes.map(rowOf)),
    '',
    `${passed} of ${outcomes.length} steps passed.`,
    '',
    'The commands:',
    '',
    ...outcomes.map(({ step }) => `    ${step.command.join(' ')}`),
    '',
  ].join('\n');
}

function rowOf({ step, failure, seconds, counts, log }: Outcome): string[] {
  const result = failure === null ? 'passed' : `FAILED: ${failure}`;
  return [step.name, result, (seconds / 60).toFixed(1), counts ?? 'none printed', log ?? 'none'];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
