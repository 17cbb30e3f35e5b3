import { isDeepStrictEqual } from 'node:util';
import type { Answer, LibraryProcess } from './library-process.ts';

/** How the answers of two sides to the same URLs compare. */
export interface AnswerCheck {
  group: string;
  urls: number;
  /** Different answers among ours. */
  distinct: number;
  /** URLs that we answer with another status than 200, and the first of them with its answer. */
  refused: number;
  firstRefused?: string;
  /** URLs that the two answer differently, and what differs in the first of them. */
  differing: number;
  first?: string;
}

/** Compares all answers of two versions. Replies that differ only in the order of their keys are equal. */
export async function checkAnswers(
  group: string,
  urls: string[],
  ours: LibraryProcess,
  theirs: LibraryProcess,
): Promise<AnswerCheck> {
  const own = await ours.answers();
  const other = await theirs.answers();
  const check = await summarize(group, urls, own, ours);
  for (const [index, url] of urls.entries()) {
    if (own[index].digest === other[index].digest && own[index].status === other[index].status) continue;
    const difference = differenceOf(
      { status: own[index].status, text: await ours.body(url) },
      { status: other[index].status, text: await theirs.body(url) },
    );
    if (difference === null) continue;
    check.differing++;
    check.first ??= `${url}: ${difference}`;
  }
  return check;
}

/** What can be said of the answers of one version. */
export async function summarize(
  group: string,
  urls: string[],
  answers: Answer[],
  library: LibraryProcess,
): Promise<AnswerCheck> {
  const distinct = new Set(answers.map(({ digest }) => digest)).size;
  const refused = answers.filter(({ status }) => status !== 200).length;
  const check: AnswerCheck = { group, urls: urls.length, distinct, refused, differing: 0 };
  const first = answers.findIndex(({ status }) => status !== 200);
  if (first >= 0)
    check.firstRefused = `${urls[first]}: ${answers[first].status} ${cut(await library.body(urls[first]))}`;
  return check;
}

export interface TextReply {
  status: number;
  text: string;
}

/** What differs first between our reply and theirs; null if they say the same. */
export function differenceOf(ours: TextReply, theirs: TextReply): string | null {
  if (ours.status !== theirs.status) return `status ${ours.status} here, ${theirs.status} there`;
  if (ours.text === theirs.text) return null;
  const difference = firstDifference(parsed(ours.text), parsed(theirs.text), 'the reply');
  return difference && cut(difference);
}

export function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The deepest place that holds the first difference, and both values. */
function firstDifference(ours: unknown, theirs: unknown, place: string): string | null {
  if (isDeepStrictEqual(ours, theirs)) return null;
  if (isObject(ours) && isObject(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    if (Array.isArray(ours) && Array.isArray(theirs) && ours.length !== theirs.length)
      return `${place}: ${ours.length} items here, ${theirs.length} there`;
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const difference = firstDifference(ours[key], theirs[key], `${place}.${key}`);
      if (difference !== null) return difference;
    }
  }
  const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return `${place}: ${show(ours)} here, ${show(theirs)} there`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
