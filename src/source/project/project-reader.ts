import { SnapshotError } from '../../base/errors.ts';
import { Problems } from '../../base/problems.ts';
import { runAtOnce } from '../../base/steps.ts';
import { prepareDigests } from '../../build/rows/row-digest.ts';
import { type Batch, checkSize } from '../../changes/batch.ts';
import { batchLimits } from '../../changes/batch-limits.ts';
import { databaseState } from '../../load/database/database-state.ts';
import { defaultTolerance, type LoadedSnapshot, type LoadOptions } from '../../load/loaded.ts';
import { loadProjectContent } from '../../load/project/project-content.ts';
import { ProjectCopies, type ProjectCopy } from '../../load/project/project-copy.ts';
import { asSnapshotError } from '../../load/system-error.ts';
import { readDatabaseFile, readStrapiProject } from '../../strapi-project/project-folder.ts';
import { InterruptiblePause } from '../interruptible-pause.ts';
import type { ProjectSource } from '../source.ts';
import type { OnUnchanged, SourceChange, SourceReader } from '../source-reader.ts';
import { compareDatabase } from './compare-database.ts';
import type { DatabaseState } from './database-state.ts';
import { ProjectChanges } from './project-changes.ts';
import { frameDifference, frameOf, type ProjectFrame } from './project-frame.ts';
import { RecordedContent } from './recorded-content.ts';
import { threadTime } from './thread-time.ts';
import { WorkBudget } from './work-budget.ts';

/** Milliseconds between two looks at the files of the database. */
const lookInterval = 100;
/** Milliseconds between two looks at which database the project uses, which Strapi reads at its start. */
const settingsInterval = 5000;
/** Milliseconds between two reports that nothing has changed. */
const reportInterval = 1000;
/**
 * The share of a processor that comparisons take in the long run, and the milliseconds of them that may be saved up. The
 * thread has a low priority, so they give way to requests.
 */
const workShare = 0.3;
const savedWork = 20_000;

/** What is known of the content that was returned last. */
interface Known {
  readonly frame: ProjectFrame;
  readonly database: DatabaseState;
  /** The `databaseState` of the last comparison, and of the last one of everything. */
  readonly state: string;
  readonly wholeState: string;
  /** When everything was compared last, in milliseconds since 1970. */
  readonly wholeAt: number;
}

/**
 * Reads the database of a Strapi project's folder. A change is noticed by the files of the database, and found in a copy:
 * rows by their time of change, links by checksums. Rows that are changed without their time are found by a comparison of
 * everything, `compareSeconds` after a change and after a hint.
 */
export class ProjectReader implements SourceReader {
  readonly #source: ProjectSource;
  readonly #onUnchanged: OnUnchanged;
  readonly #copies = new ProjectCopies();
  readonly #pause = new InterruptiblePause();
  readonly #changes: ProjectChanges;
  readonly #budget = new WorkBudget(workShare, savedWork, performance.now());
  #known: Known | null = null;
  /** When the change that comes next was noticed; null: none was. */
  #noticedAt: number | null = null;
  #reportedAt = 0;
  /** The path of the database, and when it was read, by `performance.now()`. */
  #databaseFile = '';
  #databaseFileAt = 0;
  /** Milliseconds of processor time of the last comparison of everything. */
  #wholeCost = 0;
  #isHinted = false;
  #isClosed = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(source: ProjectSource, onUnchanged: OnUnchanged) {
    this.#source = source;
    this.#onUnchanged = onUnchanged;
    this.#changes = new ProjectChanges(source.folder);
  }

  async load(options: LoadOptions): Promise<LoadedSnapshot> {
    this.#checkOpen();
    this.#changes.end();
    await prepareDigests();
    return this.#read(() => this.#load(options));
  }

  async next(): Promise<SourceChange> {
    this.#changes.end();
    for (;;) {
      this.#checkOpen();
      const change = await this.#read(() => this.#look());
      this.#checkOpen();
      if (change) return change;
      await this.#pause.wait(lookInterval);
    }
  }

  /** Everything is compared soon. */
  hint(): void {
    this.#isHinted = true;
  }

  fileChange(): Promise<boolean> {
    return this.#changes.next();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    this.#changes.end();
    await this.#reading;
    await this.#copies.close();
  }

  /** Does one piece of reading, which `close` waits for. */
  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    const reading = read();
    this.#reading = reading.then(
      () => {},
      () => {},
    );
    try {
      const result = await reading;
      this.#changes.read();
      return result;
    } catch (error) {
      throw asSnapshotError(error, this.#source.folder);
    }
  }

  async #load(options: LoadOptions): Promise<LoadedSnapshot> {
    const { folder } = this.#source;
    const project = await readStrapiProject(folder);
    const problems = new Problems(options.tolerance ?? defaultTolerance('strapi'));
    const copy = await this.#copies.open(project, problems);
    try {
      const frame = await frameOf(copy.content, project);
      const recorded = new RecordedContent(copy.content, copy, project.databaseFile);
      const loaded = await loadProjectContent(recorded, project, problems, options);
      this.#checkOpen();
      const { state, copiedAt } = copy;
      this.#noteDatabaseFile(project.databaseFile);
      const whole = { wholeState: state, wholeAt: copiedAt };
      this.#known = { frame, database: recorded.finish(), state, ...whole };
      this.#noticedAt = null;
      return loaded;
    } finally {
      copy.close();
    }
  }

  /** Returns the change, if there is one and comparing it takes no more than its share of the processor. */
  async #look(): Promise<SourceChange | null> {
    const known = this.#known!;
    const now = Date.now();
    const state = await this.#databaseState();
    if (state !== known.state) this.#noticedAt ??= now;
    const { compareSeconds } = this.#source;
    const wholeInterval = Math.max(compareSeconds * 1000, this.#wholeCost / workShare);
    const isDue = state !== known.wholeState && now - known.wholeAt >= wholeInterval;
    const isHinted = this.#isHinted && now - known.wholeAt >= this.#wholeCost / workShare;
    const isWhole = isHinted || isDue;
    if (state === known.state && !isWhole) return this.#unchanged(now);
    if (this.#budget.delay(performance.now()) > 0) return null;
    const before = threadTime();
    try {
      return await this.#compare(known, isWhole);
    } finally {
      const cost = threadTime() - before;
      // what finds single changes does not wait for the rare comparisons of everything, which have an interval of their own
      if (isWhole) this.#wholeCost = cost;
      else this.#budget.spend(cost, performance.now());
    }
  }

  /** Another database has another state. */
  async #databaseState(): Promise<string> {
    if (performance.now() - this.#databaseFileAt >= settingsInterval) {
      this.#noteDatabaseFile(await readDatabaseFile(this.#source.folder));
    }
    try {
      return await databaseState(this.#databaseFile);
    } catch (error) {
      // the next call looks whether the project uses another by then
      this.#databaseFileAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  #noteDatabaseFile(path: string): void {
    this.#databaseFile = path;
    this.#databaseFileAt = performance.now();
  }

  async #compare(known: Known, isWhole: boolean): Promise<SourceChange | null> {
    if (isWhole) this.#isHinted = false;
    const project = await readStrapiProject(this.#source.folder);
    const copy = await this.#copies.open(project, new Problems('tolerant'));
    try {
      const frame = await frameOf(copy.content, project);
      const difference = frameDifference(known.frame, frame);
      if (difference) return this.#reload(copy, difference);
      const compared = compareDatabase(known.database, copy, isWhole);
      if (!compared || !isWithinLimits(compared.batch, compared.bytes)) {
        return this.#reload(copy, 'more has changed than a batch may hold');
      }
      const { state, copiedAt } = copy;
      const whole = isWhole ? { wholeState: state, wholeAt: copiedAt } : {};
      this.#known = { ...known, ...whole, database: compared.databaseState, state };
      const changedAt = this.#noticedAt ?? undefined;
      this.#noticedAt = null;
      const { batch } = compared;
      if (batch.entities.length === 0 && batch.links.length === 0) return this.#unchanged(copiedAt);
      return { kind: 'batch', batch, readAt: copiedAt, changedAt };
    } catch (error) {
      // the next call compares everything that this one would have
      this.#isHinted ||= isWhole;
      throw error;
    } finally {
      copy.close();
    }
  }

  #reload({ copiedAt }: ProjectCopy, reason: string): SourceChange {
    return { kind: 'reload', reason, readAt: copiedAt, changedAt: this.#noticedAt ?? undefined };
  }

  #unchanged(readAt: number): null {
    if (readAt - this.#reportedAt >= reportInterval) {
      this.#reportedAt = readAt;
      this.#onUnchanged(readAt);
    }
    return null;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SnapshotError([`${this.#source.folder}: the reader was closed`]);
  }
}

function isWithinLimits(batch: Batch, bytes: number): boolean {
  const problems = new Problems('tolerant', 'batch');
  const locations = { entities: 'entities', links: 'links', dataOf: (i: number) => `entities[${i}].data` };
  return bytes <= batchLimits.bytes && runAtOnce(checkSize(batch, problems, locations));
}
