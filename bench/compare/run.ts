import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { contents, prepareSnapshot } from '../content/index.ts';
import { readRows } from '../content/rows.ts';
import { answerOf } from '../http/answers.ts';
import { isChosen, type Options } from '../options.ts';
import type { Progress } from '../progress.ts';
import { queries } from '../queries/index.ts';
import { drawSets } from '../query.ts';
import { answersReport, contentReport, verdictReport } from '../report/compare.ts';
import { ownHttpReport, ownQueryReport, ownTitle } from '../report/own.ts';
import type { Results } from '../report/results.ts';
import type { AnswerCheck } from './answers.ts';
import { compareLibraries } from './library-pairs.ts';
import type { Opening } from './library-process.ts';
import { measureOwn } from './own.ts';
import { type ContentComparison, Figures } from './result.ts';
import { compareServers } from './server-pairs.ts';
import { readUrlFile, type UrlGroup } from './urls.ts';
import { buildVersion, resolveCommit, thisVersion } from './version.ts';

/** Minutes that a comparison of two commits may take, without their builds: over HTTP, and all other parts together. */
const minutes = { http: 2.5, rest: 7 };
/** Different URLs of a query over HTTP. */
const httpUrls = 20_000;

export type CompareOptions = Pick<Options, 'against' | 'snapshot' | 'urls' | 'http' | 'token' | 'config'>;

/** Throws an error that names the option, before anything is built or measured. */
export async function checkCompare({ against, snapshot, urls, http, config }: CompareOptions): Promise<void> {
  if (snapshot !== undefined) checkSnapshot(snapshot);
  if (against !== undefined) resolveCommit(against);
  if (config !== undefined) readSettings(config);
  const groups = urls === undefined ? [] : readUrlFile(urls);
  if (http !== undefined) await checkService(http, groups[0].urls[0]);
}

/** A snapshot is a folder, a JSON file or an archive. What it holds is checked when Lectern opens it. */
function checkSnapshot(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Error(`option '--snapshot': there is no file or folder ${path}.`);
  if (stats.isDirectory() || /\.json$/i.test(path) || (stats.isFile() && isArchive(path))) return;
  throw new Error(`option '--snapshot': ${path} is neither a folder, a JSON file nor an archive of an export.`);
}

/** Whether a file begins as a tar archive does, packed by gzip or not. */
function isArchive(path: string): boolean {
  const start = Buffer.alloc(262);
  const file = openSync(path, 'r');
  readSync(file, start);
  closeSync(file);
  return start.readUInt16BE() === 0x1f8b || start.toString('latin1', 257) === 'ustar';
}

async function checkService(address: string, path: string): Promise<void> {
  const { origin, pathname } = URL.canParse(address) ? new URL(address) : { origin: '', pathname: '' };
  if (!/^http:/.test(origin) || pathname !== '/')
    throw new Error(
      `option '--http': ${address} is not the address of a service. Write it without a path, such as http://127.0.0.1:1337.`,
    );
  await answerOf(origin, path).catch((error: Error) => {
    throw new Error(`option '--http': nothing answers at ${address} (${error.message}).`);
  });
}

/** The settings of a config file. Throws an error that names the file. */
function readSettings(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`option '--config': ${file}: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
}

/** What loads servers over HTTP, if they are measured. */
export function comparePackages({ only, against, client }: Options): string[] {
  return only.includes('http') && (against !== undefined || client === 'autocannon') ? ['autocannon'] : [];
}

/** Lectern over one's own content, or two commits. Everything has been built, the other commit excepted. */
export async function runCompare(options: Options, results: Results, progress: Progress, save: () => void) {
  const say = (line: string) => progress.say(line);
  const version = thisVersion();
  const own = options.snapshot === undefined ? null : ownContent(options);
  if (options.against === undefined) {
    const { http, only, client, seconds, rounds } = options;
    const task = {
      ...own!,
      version,
      parts: only,
      client,
      seconds,
      rounds,
      service: http ? new URL(http).origin : null,
    };
    console.log(`\n${ownTitle(options.snapshot!)}`);
    await measureOwn(task, progress, (result, part) => {
      results.own = result;
      save();
      console.log(`\n${part === 'http' ? ownHttpReport(result) : ownQueryReport(result)}`);
    });
    return;
  }
  const versions = { ours: version, theirs: buildVersion(resolveCommit(options.against), say) };
  results.compare = { ours: versions.ours.name, theirs: versions.theirs.name, contents: [] };
  const isMeasured = (part: Options['only'][number]) => options.only.includes(part);
  const measuresLibrary = isMeasured('inprocess') || isMeasured('load');
  const inputs = own ? [own] : [];
  for (const name of own ? [] : options.content) inputs.push(await generated(name, options, say));
  const weights = inputs.map(({ groups }) => 5 + groups.length);
  const perWeight = (minutes.rest * 60_000) / weights.reduce((sum, weight) => sum + weight);
  for (const [index, { content, opening, groups, httpGroups }] of inputs.entries()) {
    const comparison: ContentComparison = { content, answers: [], figures: [] };
    results.compare.contents.push(comparison);
    const figures = new Figures(comparison.figures);
    const budget = perWeight * weights[index];
    if (measuresLibrary) {
      const uncached = { ...opening, settings: { ...opening.settings, cacheBytes: 0 } };
      progress.beginShares(`${content} in process`, budget);
      const task = { versions, opening: uncached, groups: isMeasured('inprocess') ? groups : [], milliseconds: budget };
      const compared = (answers: AnswerCheck[]) => {
        const lines = answersReport(answers, versions.theirs.name);
        for (const line of lines.length > 0 ? lines : ['all answers are equal']) say(line);
      };
      const share = (done: number) => progress.share(done);
      comparison.answers = await compareLibraries({ ...task, compared, progress: share }, figures);
      save();
    }
    // what a server does around a query depends little on the content
    if (isMeasured('http') && index === 0) {
      progress.beginShares(`${content} over HTTP`, minutes.http * 60_000);
      const task = { versions, opening, groups: httpGroups };
      await compareServers({ ...task, progress: (share) => progress.share(share) }, figures);
      save();
    }
    console.log(`\n${contentReport(comparison, versions.ours.name, versions.theirs.name)}`);
  }
  console.log(`\n${verdictReport(results.compare)}`);
}

interface Input {
  content: string;
  opening: Opening;
  groups: UrlGroup[];
  httpGroups: UrlGroup[];
}

function ownContent({ snapshot, urls, token, config }: Options): Input {
  const settings = config === undefined ? {} : readSettings(config);
  const groups = readUrlFile(urls!);
  const opening = withToken({ snapshot: snapshot!, settings }, token);
  return { content: basename(snapshot!), opening, groups, httpGroups: groups };
}

/** Lectern accepts the token for everything. */
function withToken({ snapshot, settings }: Opening, token: string | undefined): Opening {
  if (token === undefined) return { snapshot, settings };
  const sha256 = createHash('sha256').update(token).digest('hex');
  const tokens = [...((settings.tokens as object[]) ?? []), { name: 'benchmark', sha256, type: 'full-access' }];
  return { snapshot, settings: { ...settings, tokens }, authorization: `Bearer ${token}` };
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
  const httpGroups = ofContent
    .filter((query) => query.http)
    .flatMap((query) => {
      const urls = urlsOf(query, httpUrls);
      return [
        { name: `one URL, ${query.http}`, urls: urls.slice(0, 1) },
        { name: `different URLs, ${query.http}`, urls },
      ];
    });
  return { content: name, opening: { snapshot, settings: {} }, groups, httpGroups };
}
