/** Pulls the whole content of a Strapi. */
import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatNumber } from '../../core/problems.ts';
import { writeAtomically } from '../../core/write-file.ts';
import { PulledRows } from './pulled-rows.ts';
import type { RestTypes } from './rest-types.ts';
import { settle } from './settle.ts';
import type { Slice } from './slices.ts';
import type { StrapiClient } from './strapi-client.ts';
import type { StrapiInput, StrapiOutline } from './strapi-input.ts';
import { writeSnapshot } from './write-snapshot.ts';

/** The progress of a pull. */
export interface PullProgress {
  readonly stage: 'rows' | 'changes' | 'files';
  /** Types with all their rows, and all types. */
  readonly doneTypes: number;
  readonly types: number;
  /** Rows read so far, with those of a pull that this one resumes. */
  readonly rows: number;
  readonly requests: number;
}

export interface PullSummary {
  readonly entryCount: number;
  readonly linkCount: number;
  /** Sentences about what is left out or uncertain. */
  readonly warnings: readonly string[];
}

/** The state that a pull writes beside its rows, so that it can be resumed. */
interface PullState {
  readonly address: string;
  /** Digest of the content types. */
  readonly types: string;
  /** When the pull began, by the clock of the server. */
  readonly since: number;
  /** The names of the slices that were read to their end. */
  readonly done: readonly string[];
}

/**
 * Writes the content that can be read to a folder as an unpacked Strapi export. The folder appears when it is
 * complete, and must not exist. Until then, `FOLDER.pull` beside it holds the rows that were read. If an error or a
 * signal ends a pull, the next one resumes it.
 */
export async function pullContent(
  input: StrapiInput,
  outline: StrapiOutline,
  folder: string,
  onProgress: (progress: PullProgress) => void = () => {},
): Promise<PullSummary> {
  const work = `${folder}.pull`;
  const { client } = input;
  const { types, locales, roles } = outline;
  const slices = Array.from(types.readable.values()).flatMap((readable) => input.slicesOf(types, readable));
  const state = await openState(client, types, work);
  const rows = await PulledRows.open(join(work, 'rows'), slices);
  await writeState(work, state);
  const reader = input.rows(locales.codes);
  const done = new Set(state.done);
  const progress = (stage: PullProgress['stage']): void => {
    const rowCount = slices.reduce((total, slice) => total + (slice.isOnlyLinks ? 0 : rows.count(slice)), 0);
    const doneTypes = Array.from(types.readable.values()).filter(({ type }) =>
      slices.every(({ name, readable }) => readable.type !== type || done.has(name)),
    ).length;
    onProgress({ stage, doneTypes, types: types.readable.size, rows: rowCount, requests: client.requestCount });
  };
  const readSlice = async (slice: Slice): Promise<void> => {
    if (done.has(slice.name)) return;
    let known = 0;
    for (const id of rows.ids(slice)) known = Math.max(known, id);
    for (let after: number | null = known; after !== null; ) {
      const page = await reader.page(slice, after);
      await rows.put(slice, page.rows);
      after = page.next;
      progress('rows');
    }
    done.add(slice.name);
    await writeState(work, { ...state, done: Array.from(done) });
    progress('rows');
  };
  // the first error ends the pull, but the rows of other requests are kept
  const outcomes = await Promise.allSettled(slices.map(readSlice));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  progress('changes');
  const links = await settle({ client, types, slices, reader, rows }, state.since);
  progress('files');
  const written = join(work, 'export');
  const counts = await writeSnapshot(written, { types, slices, rows, links, locales, roles });
  await rename(written, folder);
  await rm(work, { recursive: true, force: true });
  const warnings = [...outline.warnings];
  if (!links.isSettled) warnings.push('The content changed all the time. Some entries may be of different moments.');
  if (links.danglingCount > 0) {
    warnings.push(`Links to entries that the token cannot read are left out: ${formatNumber(links.danglingCount)}.`);
  }
  if (links.oneSidedCount > 0) {
    warnings.push(
      `Links that only one of two sides shows: ${formatNumber(links.oneSidedCount)}. The owning side is taken.`,
    );
  }
  return { ...counts, warnings };
}

/** Returns the state of a pull to resume, or a new one. Removes the rows of another Strapi or of other types. */
async function openState(client: StrapiClient, types: RestTypes, work: string): Promise<PullState> {
  const digest = createHash('sha256').update(JSON.stringify(types.definitions)).digest('hex');
  const path = join(work, 'pull.json');
  const found = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as PullState,
    () => null,
  );
  if (found?.address === client.address && found.types === digest) return found;
  await rm(work, { recursive: true, force: true });
  return { address: client.address, types: digest, since: client.serverTime ?? Date.now(), done: [] };
}

async function writeState(work: string, state: PullState): Promise<void> {
  await writeAtomically(join(work, 'pull.json'), [Buffer.from(JSON.stringify(state))]);
}
