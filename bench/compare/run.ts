import { basename } from 'node:path';
import { contents, prepareSnapshot } from '../content/index.ts';
import { readRows } from '../content/rows.ts';
import { isChosen, type Options } from '../options.ts';
import { type AskedContent, openingOf, ownContent } from '../own/content.ts';
import type { UrlGroup } from '../own/urls.ts';
import type { Progress } from '../progress.ts';
import { queries } from '../queries/index.ts';
import { drawSets } from '../query.ts';
import { answersReport, contentReport, verdictReport } from '../report/compare.ts';
import type { Results } from '../report/results.ts';
import { type AnswerCheck, compareLibraries } from './library-pairs.ts';
import type { Figure } from './pairs.ts';
import { compareServers } from './server-pairs.ts';
import { buildVersion, resolveCommit, thisVersion } from './version.ts';

/** Two versions of Lectern. Times are of the processor in user mode, for one call or request. */
export interface CompareResult {
  ours: string;
  theirs: string;
  contents: ContentComparison[];
}

export interface ContentComparison {
  content: string;
  answers: AnswerCheck[];
  figures: Figure[];
}

/** What loading may take, over all contents, in milliseconds. */
const loadingTime = 3.5 * 60_000;
/** Different URLs of a query over HTTP. */
const httpUrls = 20_000;

interface Input extends AskedContent {
  content: string;
  httpGroups: UrlGroup[];
}

/** Compares this checkout, which is built, with another commit. `save` is called after each part. */
export async function runCompare(
  options: Options,
  results: Results,
  progress: Progress,
  save: () => void,
): Promise<void> {
  const say = (line: string) => progress.say(line);
  const versions = { ours: thisVersion(), theirs: await buildVersion(resolveCommit(options.against!), say) };
  const [ours, theirs] = [versions.ours.name, versions.theirs.name];
  const result: CompareResult = (results.compare = { ours, theirs, contents: [] });
  const isMeasured = (part: Options['only'][number]) => options.only.includes(part);
  const inputs = await inputsOf(options, say);
  for (const [index, input] of inputs.entries()) {
    const { content, snapshot, groups, httpGroups } = input;
    const comparison: ContentComparison = { content, answers: [], figures: [] };
    result.contents.push(comparison);
    if (isMeasured('inprocess') || isMeasured('load')) {
      say(`${content} in process`);
      const compared = (answers: AnswerCheck[]) => {
        const lines = answersReport(answers, theirs);
        for (const line of lines.length > 0 ? lines : ['all answers are equal']) say(line);
      };
      const asked = { snapshot, opening: openingOf(input), groups: isMeasured('inprocess') ? groups : [] };
      const task = { versions, ...asked, compared, progress, loadingTime: loadingTime / inputs.length };
      comparison.answers = await compareLibraries(task, comparison.figures);
      save();
    }
    // what a server does around a query depends little on the content
    if (isMeasured('http') && index === 0) {
      await compareServers({ versions, snapshot, opening: input, groups: httpGroups, progress }, comparison.figures);
      save();
    }
    console.log(`\n${contentReport(comparison, ours, theirs)}`);
  }
  console.log(`\n${verdictReport(result)}`);
}

async function inputsOf(options: Options, say: (line: string) => void): Promise<Input[]> {
  if (options.snapshot !== undefined) {
    const own = ownContent(options);
    return [{ ...own, content: basename(own.snapshot), httpGroups: own.groups }];
  }
  const inputs: Input[] = [];
  for (const name of options.content) inputs.push(await generated(name, options, say));
  return inputs;
}

/** A generated content with the queries that are chosen. */
async function generated(name: string, options: Options, say: (line: string) => void): Promise<Input> {
  const content = contents.find((each) => each.name === name)!;
  // half the usual size, as every pair of loadings has two new processes
  const snapshot = await prepareSnapshot(content, options.size ?? content.entries / 2, say);
  const rows = readRows(snapshot);
  const ofContent = queries.filter((query) => query.content === name);
  const urlsOf = (query: (typeof queries)[number], count: number) => drawSets(query, rows, count).map(({ url }) => url);
  const groups = ofContent
    .filter((query) => isChosen(query, options))
    .map((query) => ({ name: query.name, urls: urlsOf(query, query.newForms ?? options.sets) }));
  const httpGroups = ofContent.flatMap((query) => {
    if (!query.http) return [];
    const urls = urlsOf(query, httpUrls);
    return [
      { name: `one URL, ${query.http}`, urls: urls.slice(0, 1) },
      { name: `different URLs, ${query.http}`, urls },
    ];
  });
  return { content: name, snapshot, settings: {}, groups, httpGroups };
}
