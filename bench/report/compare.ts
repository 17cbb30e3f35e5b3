import type { AnswerCheck } from '../compare/answers.ts';
import type { CompareResult, ContentComparison, Figure } from '../compare/result.ts';
import { type Comparison, compare } from '../compare/statistics.ts';
import { digits, table } from './markdown.ts';

/** Two versions of Lectern: the verdicts first, then a table for each content. */
export function compareReport(result: CompareResult): string {
  const { ours, theirs, contents } = result;
  return [verdictReport(result), ...contents.map((content) => contentReport(content, ours, theirs))].join('\n\n');
}

/** Which costs differ, over all contents. */
export function verdictReport({ ours, theirs, contents }: CompareResult): string {
  const all = contents.flatMap(({ content, figures }) =>
    figures.map((figure) => ({
      name: `${content}, ${titleOf(figure)}`,
      verdict: verdictOf(figure, compare(figure.pairs)),
    })),
  );
  const verdicts = [...new Set(all.map(({ verdict }) => verdict))].filter((verdict) => verdict !== none);
  const unchanged = all.filter(({ verdict }) => verdict === none).length;
  return [
    `## ${ours} against ${theirs}`,
    `Cost of ${ours} over that of ${theirs}: above 1 costs more. Times are of the processor in user mode, for one call or request. A verdict needs nine of ten pairs that differ by more than 10 % in the same direction.`,
    [
      ...verdicts.map(
        (verdict) =>
          `- **${verdict}**: ${all
            .filter((each) => each.verdict === verdict)
            .map(({ name }) => name)
            .join('; ')}`,
      ),
      `- ${none}: ${unchanged} of ${all.length}`,
    ].join('\n'),
  ].join('\n\n');
}

const none = 'no difference shown';

export function contentReport({ content, figures, answers }: ContentComparison, ours: string, theirs: string): string {
  const rows = figures.map((figure) => {
    const comparison = compare(figure.pairs);
    const middle = (side: 'ours' | 'theirs') =>
      figure.pairs.map((pair) => pair[side]).sort((a, b) => a - b)[figure.pairs.length >> 1];
    return [
      titleOf(figure),
      cost(figure, middle('theirs')),
      cost(figure, middle('ours')),
      digits(comparison.ratio),
      comparison.spread.map(digits).join('-'),
      String(figure.pairs.length),
      verdictOf(figure, comparison),
    ];
  });
  return [
    `### ${content}`,
    table(['', theirs, ours, 'ratio', 'spread', 'pairs', 'verdict'], rows),
    ...answersReport(answers, theirs),
  ].join('\n\n');
}

/** Nothing if all answers are equal and none is refused. */
export function answersReport(answers: AnswerCheck[], theirs: string): string[] {
  return answers.flatMap(({ group, urls, refused, firstRefused, differing, first }) => [
    ...(refused > 0
      ? [`**${group}**: ${refused} of ${urls} URLs have another status than 200. The first: \`${firstRefused}\``]
      : []),
    ...(differing > 0
      ? [
          `**${group}**: ${differing} of ${urls} answers differ from those of ${theirs}, so the times are of different work. The first: \`${first}\``,
        ]
      : []),
  ]);
}

function titleOf({ part, name }: Figure): string {
  return part === 'http' ? `HTTP: ${name}` : name;
}

function cost({ unit }: Figure, value: number): string {
  if (unit === 'bytes') return `${digits(value / 1e6)} MB`;
  return value < 1 ? `${digits(value * 1000)} µs` : `${digits(value)} ms`;
}

function verdictOf({ unit }: Figure, { verdict, isNoisy }: Comparison): string {
  if (verdict === 'worse') return unit === 'bytes' ? 'more memory' : 'slower';
  if (verdict === 'better') return unit === 'bytes' ? 'less memory' : 'faster';
  if (verdict === 'undecided') return 'too few pairs to tell';
  return isNoisy ? 'too noisy to tell' : none;
}
