import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatNumber } from '../core/problems.ts';
import { type PullProgress, type PullSummary, pullContent } from '../follow/rest/pull-content.ts';
import { type PulledUploads, pullUploads } from '../follow/rest/pull-uploads.ts';
import { StrapiClient } from '../follow/rest/strapi-client.ts';
import { StrapiError } from '../follow/rest/strapi-error.ts';
import { RestInput } from '../follow/rest/strapi-input.ts';
import { packExport } from '../follow/rest/write-snapshot.ts';
import { sourceTokenVariable } from './flags.ts';
import { counted, Failure, seconds } from './report.ts';

export interface PullFlags {
  /** A folder, or an archive if it ends with `.tar.gz`. */
  readonly out: string;
  readonly token?: string;
  readonly types?: string;
  readonly prefix?: string;
  readonly requests?: number;
  /** Whether uploaded files are downloaded. */
  readonly uploads?: boolean;
}

/** Writes the content of a Strapi as an export. A pull that was interrupted resumes when it is started again. */
export async function pull(url: string, flags: PullFlags, environment = process.env): Promise<void> {
  const { types: from, prefix, requests: concurrency } = flags;
  // temporary files beside it begin with its name
  const out = flags.out.replace(/(?<=.)[/\\]+$/, '');
  const token = flags.token ?? (environment[sourceTokenVariable] || undefined);
  const isArchive = out.endsWith('.tar.gz');
  // a wrong argument must not overwrite content
  if (existsSync(out) && !isArchive && !existsSync(join(out, 'schemas'))) {
    throw new Failure(`${out} exists and is not an unpacked export. Remove it or choose another --out`);
  }
  const stop = new AbortController();
  const end = () => stop.abort(new Failure('The pull was stopped.'));
  process.once('SIGINT', end).once('SIGTERM', end);
  const started = performance.now();
  const unpacked = `${out}.new`;
  const progress = new ProgressLine();
  try {
    const client = await StrapiClient.open({ url, token, prefix, concurrency, signal: stop.signal });
    const input = new RestInput(client, from);
    const outline = await input.outline();
    // left by a command that was killed after the pull
    await rm(unpacked, { recursive: true, force: true });
    const summary = await pullContent(input, outline, unpacked, (state) => progress.show(state)).catch(
      (error: unknown) => {
        progress.clear();
        throw resumable(error, `${unpacked}.pull`);
      },
    );
    progress.clear();
    const uploads = flags.uploads ? await pullUploads(client, unpacked, `${out}.uploads`) : null;
    if (isArchive) {
      await packExport(unpacked, out);
      await rm(unpacked, { recursive: true });
    } else await replaceFolder(out, unpacked);
    report(out, summary, outline.types.readable.size, client.requestCount, performance.now() - started);
    if (uploads) reportUploads(uploads);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

function resumable(error: unknown, work: string): unknown {
  if (!(error instanceof Failure) && !(error instanceof StrapiError)) return error;
  return new Failure(`${error.message}\nWhat was read is in ${work}. The same command goes on from there.`);
}

async function replaceFolder(path: string, fresh: string): Promise<void> {
  const old = `${path}.old`;
  await rm(old, { recursive: true, force: true });
  if (existsSync(path)) await rename(path, old);
  await rename(fresh, path);
  await rm(old, { recursive: true, force: true });
}

function report(out: string, summary: PullSummary, typeCount: number, requestCount: number, took: number): void {
  const { entryCount, linkCount, warnings } = summary;
  const entries = `${counted(entryCount, 'entry', 'entries')} and ${counted(linkCount, 'link')}`;
  const types = counted(typeCount, 'type');
  console.log(`Wrote ${out}: ${entries} of ${types}, in ${seconds(took)} with ${counted(requestCount, 'request')}`);
  for (const warning of warnings) console.error(`warning: ${warning}`);
}

/** Addresses in a warning. */
const maxListed = 3;

function reportUploads({ fileCount, missing }: PulledUploads): void {
  console.log(`Downloaded ${counted(fileCount, 'uploaded file')}`);
  if (missing.length === 0) return;
  const listed = missing.slice(0, maxListed).join(', ');
  const more = missing.length > maxListed ? ', …' : '';
  console.error(`warning: The Strapi lacks ${counted(missing.length, 'uploaded file')} of entries: ${listed}${more}`);
}

const stages = { rows: 'reading', changes: 'looking for changes', files: 'writing' };

/** Time between two states of the line, in milliseconds. */
const interval = 200;

/** Shows the progress in one line of a terminal. Anywhere else it shows nothing. */
class ProgressLine {
  readonly #started = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;

  show({ stage, doneTypes, types, rows, requests }: PullProgress): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.#shownAt < interval) return;
    this.#shownAt = now;
    const rate = formatNumber(Math.round((rows * 1000) / Math.max(1, now - this.#started)));
    const counts = `${doneTypes} of ${types} types, ${counted(rows, 'entry', 'entries')} (${rate} a second)`;
    process.stderr.write(`\r\x1b[K${stages[stage]}: ${counts}, ${counted(requests, 'request')}`);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}
