import { isDeepStrictEqual } from 'node:util';
import type { Batch } from '../../changes/batch/batch.ts';
import { SnapshotError } from '../../core/errors.ts';
import { Problems, warning } from '../../core/problems.ts';
import type { DatabaseContent } from '../../load/database/database-content.ts';
import { ExpiredStateError, type StateOpener } from '../../load/database/database-state.ts';
import { type DatabaseLocation, nameOfLocation } from '../../load/database/location.ts';
import { asSnapshotError } from '../../load/files.ts';
import { defaultTolerance, type LoadedAccess, type LoadedSnapshot, type LoadOptions } from '../../load/loaded.ts';
import { FittingComponents, loadProjectContent, readProjectAccess } from '../../load/project/project-content.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import { prepareDigests } from '../../store/writer/rows/row-digest.ts';
import { followDatabase } from '../database/follow-database.ts';
import type { FollowedDatabase, TrackedState } from '../database/followed-database.ts';
import { InterruptiblePause } from '../pauses.ts';
import type {
  DatabaseSource,
  OnAccess,
  OnUnchanged,
  ProjectSource,
  SourceChange,
  SourceReader,
} from '../source-reader.ts';
import { AccessWatch } from './access-watch.ts';
import { compareDatabase } from './compare-database.ts';
import { ComparisonSchedule, type Extent, threadTime } from './comparison-schedule.ts';
import { ProjectChanges } from './project-changes.ts';
import { accessFrameOf, type Findings, frameDifference, frameOf, isEmpty, type KnownProject } from './project-frame.ts';
import { createProjectInput } from './project-input.ts';
import { RecordedContent } from './recorded-content.ts';

/** The longest wait for a transaction in progress, in milliseconds. */
const longTransaction = 200;
/** Milliseconds after which a due comparison is tried again. */
const pendingInterval = 100;
/** Milliseconds between two reports that nothing has changed. */
const reportInterval = 1000;

/** A database, and the states of it that the reader opens. */
interface Following extends FollowedDatabase {
  readonly location: DatabaseLocation;
  readonly states: StateOpener<TrackedState>;
}

/** A content, and what the reader keeps of it. */
interface ReadContent extends Omit<KnownProject, 'project' | 'access'> {
  readonly loaded: LoadedSnapshot;
}

/**
 * Reads the database of a Strapi project. Watches the database and the files of the project, and compares a state of the
 * database after each change: tokens and secrets first, then the rows and links that may have changed. Compares all entries
 * if a commit changed none of these, `compareSeconds` after a change, and after a hint.
 */
export class ProjectReader implements SourceReader {
  readonly #source: ProjectSource | DatabaseSource;
  readonly #onUnchanged: OnUnchanged;
  readonly #components: FittingComponents;
  readonly #onAccess: OnAccess;
  readonly #files: ProjectInput;
  readonly #pause = new InterruptiblePause();
  readonly #changes: ProjectChanges;
  readonly #schedule: ComparisonSchedule;
  #following: Following | null = null;
  #known: KnownProject | null = null;
  /** When a change was noticed that has not been returned yet; null without one. */
  #noticedAt: number | null = null;
  #reportedAt = 0;
  /** The option of the last load. */
  #users = true;
  /** The mark of the state in which tokens or secrets were last found changed. */
  #accessMark = '';
  /** The last warning, while it applies. */
  #warning: string | null = null;
  #isClosed = false;
  #reading: Promise<void> = Promise.resolve();

  /** Readers of one project share `components` and `files`. */
  constructor(
    source: ProjectSource | DatabaseSource,
    onUnchanged: OnUnchanged,
    components = new FittingComponents(),
    onAccess: OnAccess = () => {},
    files = createProjectInput(source),
  ) {
    this.#source = source;
    this.#onUnchanged = onUnchanged;
    this.#components = components;
    this.#onAccess = onAccess;
    this.#files = files;
    this.#changes = new ProjectChanges(files);
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
      await this.#pause.wait(this.#schedule.isPending ? pendingInterval : this.#following!.watch.untilLook);
    }
  }

  /** Looks at once, and compares everything soon where a look does not find every change. */
  hint(): void {
    if (!this.#following?.isExact) this.#schedule.request('everything');
    this.#pause.end();
  }

  fileChange(): Promise<boolean> {
    return this.#changes.next();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    this.#changes.end();
    await this.#reading;
    await this.#unfollow();
  }

  async #follow(location: DatabaseLocation): Promise<Following> {
    if (this.#following && isDeepStrictEqual(this.#following.location, location)) return this.#following;
    await this.#unfollow();
    const longestPause = (this.#source.lookSeconds ?? 0) * 1000;
    const database = followDatabase(location, () => this.#pause.end(), longestPause);
    this.#following = { ...database, location, states: database.createOpener() };
    return this.#following;
  }

  async #unfollow(): Promise<void> {
    const following = this.#following;
    this.#following = null;
    await following?.watch.close();
    await following?.states.close();
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
      throw asSnapshotError(error, this.#files.name);
    }
  }

  async #load(options: LoadOptions): Promise<LoadedSnapshot> {
    this.#users = options.users ?? true;
    this.#files.lookAgain();
    const project = await this.#files.read();
    const database = await this.#follow(project.database);
    const state = await database.states.open();
    let watch: AccessWatch | undefined;
    let access: LoadedAccess | undefined;
    let problem: string | null;
    let read: ReadContent;
    try {
      const { content, warning } = await this.#components.open(state.database, project, this.#users);
      problem = warning;
      const first = await readProjectAccess(state.database, project);
      watch = new AccessWatch(project, state.mark, first, { files: this.#files, database, onAccess: this.#onAccess });
      read = await this.#readContent(state, content, first, project, options);
    } finally {
      // the last look of the watch may wait for the connection of the state
      await state.close();
      access = await watch?.end();
    }
    this.#checkOpen();
    this.#warning = problem;
    const { loaded, ...known } = read;
    this.#known = { ...known, project, access: access! };
    this.#schedule.comparedAll(known.mark, state.openedAt);
    this.#noticedAt = null;
    const warnings = problem === null ? [] : [warning('old-components', problem)];
    return { ...loaded, ...access, warnings: [...loaded.warnings, ...warnings] };
  }

  /** Loads the content that was opened in a state. */
  async #readContent(
    state: TrackedState,
    opened: DatabaseContent,
    access: LoadedAccess,
    project: StrapiProject,
    options: LoadOptions,
  ): Promise<ReadContent> {
    const problems = new Problems(options.tolerance ?? defaultTolerance('strapi'));
    const staged = await state.stage?.(opened);
    const { content, mark, marks } = staged ?? { content: opened, mark: state.mark, marks: null };
    const frame = await frameOf(content, project);
    const recorded = new RecordedContent(content, state, nameOfLocation(project.database), marks);
    const loaded = await loadProjectContent(recorded, access, project, problems, options);
    return { loaded, frame, mark, digests: await recorded.finish() };
  }

  /** Returns the change, if there is one and comparing it takes no more than its share of the processor. */
  async #look(): Promise<SourceChange | null> {
    const known = this.#known!;
    const now = Date.now();
    const project = await this.#files.read();
    const { secrets } = project;
    const identified = project === known.project ? null : this.#identify({ ...known.access, secrets }, now);
    if (identified) return identified;
    const database = await this.#follow(project.database);
    const mark = await database.watch.mark();
    const isChanged = mark !== known.mark || project !== known.project;
    if (isChanged) this.#noticedAt ??= now;
    // its commit changes the mark again
    if (database.watch.isUnderWay(mark) && now - this.#noticedAt! < longTransaction) return null;
    const { isExact } = database;
    const extent = this.#schedule.next(mark, isChanged, now, isExact);
    if (extent === null) return isChanged || this.#schedule.isPending ? null : this.#unchanged(now);
    // the work of an exact comparison is that of the server
    const time = isExact ? () => performance.now() : threadTime;
    const before = time();
    this.#schedule.begin(extent);
    try {
      return await this.#compare(known, project, database, extent);
    } catch (error) {
      // the next call repeats this comparison
      if (extent !== 'changes') this.#schedule.request(extent);
      throw error;
    } finally {
      this.#schedule.end(extent, time() - before);
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

  async #compare(
    known: KnownProject,
    project: StrapiProject,
    { states, watch, isExact }: Following,
    extent: Extent,
  ): Promise<SourceChange | null> {
    const state = await states.open();
    try {
      const { database, mark, openedAt } = state;
      const identified = this.#identify(await readProjectAccess(database, project), openedAt);
      if (identified) {
        // the content is compared afterwards
        if (extent !== 'changes') this.#schedule.request(extent);
        this.#accessMark = mark;
        return identified;
      }
      const { content, warning: problem } = await this.#components.open(database, project, this.#users);
      const frame = await frameOf(content, project);
      const difference = frameDifference(known.frame, frame);
      if (difference) return this.#reload(state, difference);
      const incomparable = state.incomparable?.(known.digests.marks);
      if (incomparable) return this.#reload(state, incomparable);
      const compared = await compareDatabase(known.digests, state, content.tables, extent).catch((error: unknown) => {
        if (error instanceof ExpiredStateError) return null;
        throw error;
      });
      if (!compared) return this.#reload(state, 'more has changed than a batch may hold, or a transaction read');
      this.#known = { ...known, project, digests: compared.digests, mark };
      if (extent !== 'changes') this.#schedule.comparedAll(mark, openedAt);
      const { batch } = compared;
      const isUnexplained = mark !== known.mark && mark !== this.#accessMark && !watch.isUnderWay(mark);
      if (isEmpty(batch) && extent === 'changes' && isUnexplained && !isExact) this.#schedule.request('entries');
      return this.#found(batch, { problem, reason: compared.reason, readAt: openedAt });
    } finally {
      await state.close();
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

  #reload({ openedAt }: TrackedState, reason: string): SourceChange {
    return { kind: 'reload', reason, readAt: openedAt, changedAt: this.#noticedAt ?? undefined };
  }

  #unchanged(readAt: number): null {
    if (readAt - this.#reportedAt >= reportInterval) {
      this.#reportedAt = readAt;
      this.#onUnchanged(readAt, this.#following?.watch.isStandby);
    }
    return null;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SnapshotError([`${this.#files.name}: the reader was closed`]);
  }
}
