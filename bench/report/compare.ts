import type { AnswerCheck } from '../compare/library-pairs.ts';
import { type Comparison, compare, type Figure } from '../compare/pairs.ts';
import type { CompareResult, ContentComparison } from '../compare/run.ts';
import { median } from '../statistics.ts';
import { emptyNotes } from './inprocess.ts';
import { digits, spreadOf, table } from './markdown.ts';

/** Two versions of Lectern: the verdicts first, then a table for each content. */
export function compareReport(result: CompareResult): string {
  const { ours, theirs, contents } = result;
  return [verdictReport(result), ...contents.map((content) => contentReport(content, ours, theirs))].join('\n\n');
}

/** Which costs differ, over all contents. */
export function verdictReport({ ours, theirs, contents }: CompareResult): string {
  const named = new Map<string, string[]>();
  for (const { content, figures } of contents) {
    for (const figure of figures) {
      const verdict = verdictOf(figure, compare(figure.pairs));
      named.set(verdict, [...(named.get(verdict) ?? []), `${content}, ${titleOf(figure)}`]);
    }
  }
  const unchanged = named.get(none)?.length ?? 0;
  named.delete(none);
  return [
    `## ${ours} against ${theirs}`,
    `Cost of ${ours} over that of ${theirs}: above 1 costs more. Times are of the processor in user mode, for one call or request. A verdict needs nine of ten pairs that differ by more than 10 % in the same direction.`,
    [...[...named].map(([verdict, names]) => `- **${verdict}**: ${names.join('; ')}`), `- ${none}: ${unchanged}`].join(
      '\n',
    ),
  ].join('\n\n');
}

const none = 'no difference shown';

export function contentReport({ content, figures, answers }: ContentComparison, ours: string, theirs: string): string {
  const rows = figures.map((figure) => {
    const { unit, pairs } = figure;
    const comparison = compare(pairs);
    return [
      titleOf(figure),
      cost(unit, median(pairs.map((pair) => pair.theirs))),
      cost(unit, median(pairs.map((pair) => pair.ours))),
      digits(comparison.ratio),
      spreadOf(comparison.spread),
      String(pairs.length),
      verdictOf(figure, comparison),
    ];
  });
  return [
    `### ${content}`,
    table(['', theirs, ours, 'ratio', 'spread', 'pairs', 'verdict'], rows),
    ...answersReport(answers, theirs),
  ].join('\n\n');
}

/** Nothing if all answers are equal and have entries. */
export function answersReport(answers: AnswerCheck[], theirs: string): string[] {
  return answers.flatMap((check) => {
    const { group, urls, differing, first } = check;
    const difference = `**${group}**: ${differing} of ${urls} answers differ from those of ${theirs}, so the times are of different work. The first: \`${first}\``;
    return [...emptyNotes({ ...check, name: group, sets: urls }), ...(differing > 0 ? [difference] : [])];
  });
}

function titleOf({ part, name }: Figure): string {
  return part === 'http' ? `HTTP: ${name}` : name;
}

function cost(unit: Figure['unit'], value: number): string {
  if (unit === 'bytes') return `${digits(value / 1e6)} MB`;
  return value < 1 ? `${digits(value * 1000)} µs` : `${digits(value)} ms`;
}

function verdictOf({ unit }: Figure, { verdict }: Comparison): string {
  if (verdict === 'worse') return unit === 'bytes' ? 'more memory' : 'slower';
  if (verdict === 'better') return unit === 'bytes' ? 'less memory' : 'faster';
  if (verdict === 'undecided') return 'too few pairs to tell';
  return verdict === 'too noisy' ? 'too noisy to tell' : none;
}
