import { describeDifferences } from '../../changes/diff/describe-differences.ts';
import { diffSnapshotsInSteps } from '../../changes/diff/diff-snapshots.ts';
import type { SnapshotDifferences } from '../../changes/diff/differences.ts';
import { RequestError } from '../../core/errors.ts';
import { formatNumber } from '../../core/problems.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import { versionText } from '../../store/content-version.ts';
import type { MadePreview } from './made-preview.ts';
import type { Preview } from './preview.ts';
import { fileOfInSteps } from './preview-changes.ts';

/** Whether the changes of a preview fit its base, or the problems by place. */
export type Fit =
  | { readonly fits: true }
  | { readonly fits: false; readonly problems: readonly string[]; readonly count: number };

/** What a preview is, and over which version of its base. */
export interface PreviewState {
  /** Null if there is no base. */
  readonly baseVersion: string | null;
  /** The version of the preview, as in its replies. Null while it does not fit. */
  readonly ownVersion: string | null;
  readonly fit: Fit;
}

/** The part of a list that is read. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface ComparedPreview extends PreviewState {
  readonly changeCount: number;
  readonly lists: readonly unknown[];
  readonly entryCount: number;
  /** From the base to the preview. Null while it does not fit. */
  readonly differences: SnapshotDifferences | null;
}

/** Makes the preview over what its base serves now, if it can be made. */
export async function stateOf(preview: Preview): Promise<PreviewState> {
  return stateOfMade(preview, await madeOf(preview));
}

/** Returns the changes of a preview and its differences to the base, a page of each. */
export async function comparePreview(preview: Preview, page: Page): Promise<ComparedPreview> {
  const { made, lists, differences } = await readPreview(preview);
  const { limit, offset } = page;
  const all = differences?.entries ?? [];
  return {
    ...stateOfMade(preview, made),
    changeCount: lists.reduce<number>((total, list) => total + (list as unknown[]).length, 0),
    lists: pageOfLists(lists, page),
    entryCount: all.length,
    differences: differences && { ...differences, entries: all.slice(offset, offset + limit) },
  };
}

/** Maximum number of entries that are described. */
const maxDescribed = 10_000;

/** Returns the differences to the base in lines, or why there are none. `limit` is the maximum below one heading. */
export async function describePreview(preview: Preview, limit: number): Promise<string[]> {
  const { made, differences } = await readPreview(preview);
  if (!differences) {
    const { fit } = stateOfMade(preview, made);
    return fit.fits
      ? []
      : [`The preview "${preview.put.name}" does not fit its base:`, ...fit.problems.map((one) => `  ${one}`)];
  }
  if (differences.isEqual) return [`The preview "${preview.put.name}" equals its base.`];
  const { entries } = differences;
  const more = entries.length - maxDescribed;
  return [
    ...describeDifferences({ ...differences, entries: entries.slice(0, maxDescribed) }, limit),
    ...(more > 0 ? [`and ${formatNumber(more)} more entries`] : []),
  ];
}

async function readPreview(preview: Preview) {
  const made = await madeOf(preview);
  const { lists } = await runInTurns(fileOfInSteps(made instanceof Error ? preview.changes : made.changes));
  const differences = made instanceof Error ? null : await runInTurns(differencesInSteps(made));
  return { made, lists, differences };
}

function differencesInSteps({ over, content }: MadePreview): Steps<SnapshotDifferences> {
  return diffSnapshotsInSteps(over.loaded, content.history.loaded);
}

/** Returns the error if the changes do not fit, or if there is no base. */
async function madeOf(preview: Preview): Promise<MadePreview | RequestError> {
  try {
    return await preview.open();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

function stateOfMade(preview: Preview, made: MadePreview | RequestError): PreviewState {
  if (!(made instanceof RequestError)) {
    const baseVersion = versionText(made.over.engine.version);
    return { baseVersion, ownVersion: made.content.version, fit: { fits: true } };
  }
  const baseVersion = preview.baseProblem === null ? preview.base.version : null;
  const { problems = [made.message], count = problems.length } = made.details as Partial<{
    problems: string[];
    count: number;
  }>;
  return { baseVersion, ownVersion: null, fit: { fits: false, problems, count } };
}

function pageOfLists(lists: readonly unknown[], { limit, offset }: Page): unknown[] {
  let before = 0;
  return lists.flatMap((list) => {
    const changes = list as unknown[];
    const start = Math.max(0, offset - before);
    const page = changes.slice(start, Math.max(start, offset + limit - before));
    before += changes.length;
    return page.length > 0 ? [page] : [];
  });
}
