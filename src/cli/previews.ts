/** `lectern previews`: asks the admin port of a running server. Throws a Failure if it refuses or does not answer. */
import { excerptOf } from '../changes/diff/describe-differences.ts';
import type { ApplyAnswer, RebaseAnswer } from '../content/previews/apply-preview.ts';
import type { ComparedPreview, PreviewState } from '../content/previews/compare-preview.ts';
import type { Conflict } from '../content/previews/conflicts.ts';
import { ConfigError } from '../model/settings/config.ts';
import { type AdminReply, type AdminRequest, adminToken, askAdminPort } from './admin-port.ts';
import { counted, Failure, printJson, table } from './report.ts';

export interface PreviewFlags {
  /** The address of the admin port. */
  readonly url: string;
}

export interface ChangesFlags extends PreviewFlags {
  readonly limit: number;
  readonly json?: boolean;
}

export interface ApplyFlags extends PreviewFlags {
  readonly documents?: readonly string[];
  readonly previous?: string;
  readonly withoutJournal?: boolean;
  readonly key?: string;
}

export interface RebaseFlags extends PreviewFlags {
  readonly take?: string;
  readonly previous?: string;
}

interface DescribedContent {
  readonly name: string;
  readonly base?: string;
  readonly entries: number | null;
  readonly lifetimeLeft: number | null;
  readonly error: string | null;
}

interface DescribedPreview extends DescribedContent, PreviewState {
  readonly drafts: boolean;
  readonly changes: number;
  readonly expires: string | null;
}

export async function listPreviews({ url }: PreviewFlags, environment = process.env): Promise<void> {
  const { contents } = (await ask(url, { method: 'GET', path: '/_contents' }, environment)) as {
    contents: DescribedContent[];
  };
  const previews = contents.filter(({ base }) => base !== undefined);
  if (previews.length === 0) return console.log('There are no previews.');
  const rows = previews.map(({ name, base, entries, lifetimeLeft, error }) => [
    name,
    `of ${base}`,
    entries === null ? '' : counted(entries, 'entry', 'entries'),
    lifetimeLeft === null ? '' : `${counted(lifetimeLeft, 'second')} left`,
    error ?? '',
  ]);
  console.log(table(rows, []));
}

export async function showPreview(name: string, { url }: PreviewFlags, environment = process.env): Promise<void> {
  const shown = (await ask(url, { method: 'GET', path: pathOf(name) }, environment)) as DescribedPreview;
  if (shown.base === undefined) throw new Failure(`"${name}" is no preview`);
  const { base, baseVersion, ownVersion, drafts, changes, expires, fit } = shown;
  const rows = [
    ['base', baseVersion === null ? base : `${base}, version ${baseVersion}`],
    ['version', ownVersion ?? 'none'],
    ['drafts', drafts ? 'shown' : 'not shown'],
    ['changes', `${changes}`],
    ['expires', expires ?? 'never'],
    ['fits', fit.fits ? 'yes' : `no, ${counted(fit.count, 'problem')}:`],
  ];
  console.log(table(rows, []));
  if (!fit.fits) for (const problem of fit.problems) console.log(`  ${problem}`);
}

export async function printChanges(
  name: string,
  { url, limit, json = false }: ChangesFlags,
  environment = process.env,
): Promise<void> {
  const token = adminToken(environment, 'contents');
  const query = json ? '?limit=10000' : `?format=text&limit=${Math.max(1, Math.min(limit, 10_000))}`;
  const reply = await askAdminPort(url, token, { method: 'GET', path: `${pathOf(name)}/changes${query}` });
  if (!reply.ok) throw reply.failure();
  if (json) printJson(reply.json as ComparedPreview);
  else console.log(reply.text.trimEnd());
}

export async function applyPreview(name: string, flags: ApplyFlags, environment = process.env): Promise<void> {
  const { url, documents, previous, withoutJournal, key } = flags;
  const body = { documents: documents?.map(readDocument), previous, withoutJournal };
  const headers = key === undefined ? undefined : { 'Idempotency-Key': key };
  const request = { method: 'POST', path: `${pathOf(name)}/apply`, body, headers };
  const { version, applied, left } = (await ask(url, request, environment, 'changes')) as ApplyAnswer;
  const rest = left === 0 ? 'The preview has no changes left.' : `The preview keeps ${counted(left, 'change')}.`;
  console.log(`Applied ${counted(applied, 'change')}: the base is at ${version}. ${rest}`);
}

export async function rebasePreview(name: string, flags: RebaseFlags, environment = process.env): Promise<void> {
  const { url, take, previous } = flags;
  if (take !== undefined && take !== 'base' && take !== 'preview') {
    throw new ConfigError(`--take must be base or preview, is ${JSON.stringify(take)}`);
  }
  const request = { method: 'POST', path: `${pathOf(name)}/rebase`, body: { resolve: take, previous } };
  const { baseVersion, changes, taken } = (await ask(url, request, environment, 'changes')) as RebaseAnswer;
  const decided = taken.base + taken.preview;
  const conflicts = decided === 0 ? '' : ` ${counted(decided, 'conflict')} decided for the ${take}.`;
  console.log(`The preview has ${counted(changes, 'change')} to ${baseVersion}.${conflicts}`);
}

function pathOf(name: string): string {
  return `/_contents/${encodeURIComponent(name)}`;
}

/** Returns the JSON of a reply. Throws a Failure that lists conflicts and problems. */
async function ask(
  url: string,
  request: AdminRequest,
  environment: NodeJS.ProcessEnv,
  ...further: string[]
): Promise<unknown> {
  const reply = await askAdminPort(url, adminToken(environment, 'contents', ...further), request);
  if (!reply.ok) throw new Failure([reply.failure().message, ...detailsOf(reply)].join('\n'));
  if (reply.json === null) throw reply.failure();
  return reply.json;
}

function detailsOf({ json }: AdminReply): string[] {
  const { conflicts = [], problems = [] } = (json as { error?: { details?: Details } } | null)?.error?.details ?? {};
  const described = conflicts.map(({ message, base, preview, attribute, ...rest }) => {
    const values = attribute === null ? '' : `\n    ${describeValues({ ...rest, base, preview })}`;
    return `  ${message}${values}`;
  });
  return [...described, ...problems.map((problem) => `  ${problem}`)];
}

interface Details {
  readonly conflicts?: readonly Conflict[];
  readonly problems?: readonly string[];
}

function describeValues({ before, base, preview }: Pick<Conflict, 'before' | 'base' | 'preview'>): string {
  const known = before === undefined ? [] : [`before ${excerptOf(before)}`];
  return [...known, `base ${excerptOf(base)}`, `preview ${excerptOf(preview)}`].join(', ');
}

/** Reads `TYPE/DOCUMENTID?locale=fr&status=draft`. Throws a ConfigError. */
function readDocument(text: string): Record<string, string> {
  const [name, query = ''] = text.split('?', 2);
  const slash = name.indexOf('/');
  const options = Object.fromEntries(new URLSearchParams(query));
  const wrong = Object.keys(options).find((option) => option !== 'locale' && option !== 'status');
  if (slash > 0 && slash < name.length - 1 && wrong === undefined) {
    return { type: name.slice(0, slash), documentId: name.slice(slash + 1), ...options };
  }
  throw new ConfigError(
    `--documents: ${JSON.stringify(text)} must be TYPE/DOCUMENTID, or TYPE/DOCUMENTID?locale=fr&status=draft`,
  );
}
