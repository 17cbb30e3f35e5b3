import type { Batch } from '../../changes/batch/batch.ts';
import { SnapshotError } from '../../core/errors.ts';
import { Problems, warning } from '../../core/problems.ts';
import { isUnderWay, WatchedDatabase } from '../../load/database/database-state.ts';
import { asSnapshotError } from '../../load/files.ts';
import { defaultTolerance, type LoadedAccess, type LoadedSnapshot, type LoadOptions } from '../../load/loaded.ts';
import { FittingComponents, loadProjectContent, readProjectAccess } from '../../load/project/project-content.ts';
import { ProjectCopies, type ProjectCopy, ProjectFiles } from '../../load/project/project-copy.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import { prepareDigests } from '../../store/writer/rows/row-digest.ts';
import { InterruptiblePause } from '../pauses.ts';
import type { OnAccess, OnUnchanged, ProjectSource, SourceChange, SourceReader } from '../source-reader.ts';
import { AccessWatch } from './access-watch.ts';
import { compareDatabase } from './compare-database.ts';
import { ComparisonSchedule, type Extent, threadTime } from './comparison-schedule.ts';
import { ProjectChanges } from './project-changes.ts';
import { accessFrameOf, type Findings, frameDifference, frameOf, isEmpty, type KnownProject } from './project-frame.ts';
import { RecordedContent } from './recorded-content.ts';

/** The longest wait for a transaction in progress, in milliseconds. */
const longTransaction = 200;
/** Milliseconds after which a due comparison is tried again. */
const pendingInterval = 100;
/** Milliseconds between two reports that nothing has changed. */
const reportInterval = 1000;

/**
 * Reads the database of a Strapi project. Watches the files of the database and the project, and compares a copy of the
 * database after each change: tokens and secrets first, then rows by `updated_at` and links by the pages of their tables.
 * Compares all entries if a commit changed none of these, `compareSeconds` after a change, and after a hint.
 */
export class ProjectReader implements SourceReader {
  readonly #source: ProjectSource;
  readonly #onUnchanged: OnUnchanged;
  readonly #components: FittingComponents;
  readonly #onAccess: OnAccess;
  readonly #files: ProjectFiles;
  readonly #database = new WatchedDatabase(() => this.#pause.end());
  readonly #copies = new ProjectCopies();
  readonly #pause = new InterruptiblePause();
  readonly #changes: ProjectChanges;
  readonly #schedule: ComparisonSchedule;
  #known: KnownProject | null = null;
  /** When a change was noticed that has not been returned yet; null without one. */
  #noticedAt: number | null = null;
  #reportedAt = 0;
  /** The state of the database in which tokens or secrets were last found changed. */
  #accessState = '';
  /** The last warning, while it applies. */
  #warning: string | null = null;
  #isClosed = false;
  #reading: Promise<void> = Promise.resolve();

  /** Readers of one project share `components` and `files`. */
  constructor(
    source: ProjectSource,
    onUnchanged: OnUnchanged,
    components = new FittingComponents(),
    onAccess: OnAccess = () => {},
    files = new ProjectFiles(source.folder),
  ) {
    this.#source = source;
    this.#onUnchanged = onUnchanged;
    this.#components = components;
    this.#onAccess = onAccess;
    this.#files = files;
    this.#changes = new ProjectChanges(source.folder);
    this.#schedule = new ComparisonSchedule(source.compareSeconds * 1000);
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
      await this.#pause.wait(this.#schedule.isPending ? pendingInterval : this.#database.untilLook);
    }
  }

  /** Compares everything soon. */
  hint(): void {
    this.#schedule.request('everything');
    this.#pause.end();
  }

  fileChange(): Promise<boolean> {
    return this.#changes.next();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    this.#changes.end();
    this.#database.close();
    await this.#reading;
    await this.#copies.close();
  }

  /** Runs one read, which `close` waits for. */
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
      // the next call looks whether the project uses another database by then
      this.#files.lookAgain();
      throw asSnapshotError(error, this.#source.folder);
    }
  }

  async #load(options: LoadOptions): Promise<LoadedSnapshot> {
    this.#files.lookAgain();
    const project = await this.#files.read();
    const problems = new Problems(options.tolerance ?? defaultTolerance('strapi'));
    const copy = await this.#copies.open(project);
    try {
      const { content, warning: problem } = this.#components.open(copy.database, project);
      this.#warning = problem;
      const first = readProjectAccess(copy.database, project);
      const frame = await frameOf(content, project);
      const recorded = new RecordedContent(content, { ...copy, tables: content.tables }, project.databaseFile);
      const { state, copiedAt } = copy;
      const watch = new AccessWatch(project, state, first, {
        files: this.#files,
        database: this.#database,
        onAccess: this.#onAccess,
      });
      const loading = loadProjectContent(recorded, first, project, problems, options);
      const access = await loading.then(
        () => watch.end(),
        () => watch.end(),
      );
      const loaded = { ...(await loading), ...access };
      this.#checkOpen();
      this.#known = { project, access, frame, digests: recorded.finish(), state };
      this.#schedule.comparedAll(state, copiedAt);
      this.#noticedAt = null;
      if (problem === null) return loaded;
      return { ...loaded, warnings: [...loaded.warnings, warning('old-components', problem)] };
    } finally {
      copy.close();
    }
  }

  /** Returns the change, if there is one and comparing it takes no more than its share of the processor. */
  async #look(): Promise<SourceChange | null> {
    const known = this.#known!;
    const now = Date.now();
    const project = await this.#files.read();
    const { secrets } = project;
    const identified = project === known.project ? null : this.#identify({ ...known.access, secrets }, now);
    if (identified) return identified;
    const state = await this.#database.state(project.databaseFile);
    const isChanged = state !== known.state || project !== known.project;
    if (isChanged) this.#noticedAt ??= now;
    // its commit changes the state again
    if (isUnderWay(state) && now - this.#noticedAt! < longTransaction) return null;
    const extent = this.#schedule.next(state, isChanged, now);
    if (extent === null) return isChanged || this.#schedule.isPending ? null : this.#unchanged(now);
    const before = threadTime();
    this.#schedule.begin(extent);
    try {
      return await this.#compare(known, project, extent);
    } catch (error) {
      // the next call repeats this comparison
      if (extent !== 'changes') this.#schedule.request(extent);
      throw error;
    } finally {
      this.#schedule.end(extent, threadTime() - before);
    }
  }

  /** Returns a change if tokens, secrets or settings of users differ. */
  #identify(access: LoadedAccess, readAt: number): SourceChange | null {
    const known = this.#known!;
    const reason = frameDifference(accessFrameOf(known.access), accessFrameOf(access));
    if (reason === null) return null;
    this.#known = { ...known, access };
    return { kind: 'access', access, reason, readAt, changedAt: this.#noticedAt ?? undefined };
  }

  async #compare(known: KnownProject, project: StrapiProject, extent: Extent): Promise<SourceChange | null> {
    const copy = await this.#copies.open(project);
    try {
      const { state, copiedAt } = copy;
      const identified = this.#identify(readProjectAccess(copy.database, project), copiedAt);
      if (identified) {
        // the content is compared afterwards
        if (extent !== 'changes') this.#schedule.request(extent);
        this.#accessState = state;
        return identified;
      }
      const { content, warning: problem } = this.#components.open(copy.database, project);
      const frame = await frameOf(content, project);
      const difference = frameDifference(known.frame, frame);
      if (difference) return this.#reload(copy, difference);
      const compared = compareDatabase(known.digests, { ...copy, tables: content.tables }, extent);
      if (!compared) return this.#reload(copy, 'more has changed than a batch may hold');
      this.#known = { ...known, project, digests: compared.digests, state };
      if (extent !== 'changes') this.#schedule.comparedAll(state, copiedAt);
      const { batch } = compared;
      const isUnexplained = state !== known.state && state !== this.#accessState && !isUnderWay(state);
      if (isEmpty(batch) && extent === 'changes' && isUnexplained) this.#schedule.request('entries');
      return this.#found(batch, { problem, reason: compared.reason, readAt: copiedAt });
    } finally {
      copy.close();
    }
  }

  /** Returns the batch. An empty batch is returned only to report, once, components that do not fit the database. */
  #found(batch: Batch, { problem, reason, readAt }: Findings): SourceChange | null {
    const changedAt = this.#noticedAt ?? undefined;
    this.#noticedAt = null;
    const isWarned = problem === this.#warning;
    this.#warning = problem;
    const noted = { ...(reason !== null && { reason }), ...(problem !== null && !isWarned && { warning: problem }) };
    if (!isEmpty(batch) || noted.warning) return { kind: 'batch', batch, readAt, changedAt, ...noted };
    return this.#schedule.isPending ? null : this.#unchanged(readAt);
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
