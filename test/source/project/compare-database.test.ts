// What a comparison of two copies of a database finds leads from the content of the first to that of the second.
import { afterEach, expect, test } from 'vitest';
import { Problems } from '../../../src/core/problems.ts';
import type { TrackedState } from '../../../src/follow/database/followed-database.ts';
import { sqliteChecksums } from '../../../src/follow/database/sqlite/table-checksums.ts';
import { TimeTracking } from '../../../src/follow/database/sqlite/time-tracking.ts';
import { compareDatabase, type DatabaseDigests } from '../../../src/follow/project/compare-database.ts';
import type { Extent } from '../../../src/follow/project/comparison-schedule.ts';
import { RecordedContent } from '../../../src/follow/project/recorded-content.ts';
import { type DatabaseValue, quote } from '../../../src/load/database/database.ts';
import type { DatabaseContent } from '../../../src/load/database/database-content.ts';
import type { SqliteLocation } from '../../../src/load/database/location.ts';
import { TablePages } from '../../../src/load/database/sqlite/table-pages.ts';
import { countUsers, type LoadedSnapshot } from '../../../src/load/loaded.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject, type StrapiProject } from '../../../src/load/project/project-folder.ts';
import { loadStrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { randomFrom } from '../../live/random-from.ts';
import { type RecordedProject, recordedProjects, unpackProject } from '../../load/project/recorded-projects.ts';
import { caseCount } from '../../support/cases.ts';
import { applyTo, essenceOf } from './followed-content.ts';
import { StrapiDatabase } from './strapi-database.ts';
import { changeSilently, type EditContext, edits } from './strapi-edits.ts';

const opens: TablePages[] = [];
afterEach(() => {
  for (const pages of opens.splice(0)) pages.close();
});

interface Opened {
  readonly database: StrapiDatabase;
  readonly project: StrapiProject;
  readonly users: boolean;
}

/** Opens the database of a recorded project for writing. */
async function open(name: RecordedProject, users = true): Promise<Opened> {
  const project = await readStrapiProject(unpackProject(name));
  return { database: new StrapiDatabase(fileOf(project)), project, users };
}

function fileOf({ database }: StrapiProject): string {
  return (database as SqliteLocation).file;
}

function contentOf({ database, project, users }: Opened): Promise<DatabaseContent> {
  return openProjectContent(database, project, users);
}

async function stateOf({ database, project }: Opened): Promise<TrackedState> {
  const pages = await TablePages.open(fileOf(project), database);
  opens.push(pages);
  const state = { database, pages, mark: '', openedAt: database.now, close: async () => {} };
  return {
    ...state,
    track: (mapping, before, extent) => new TimeTracking(state, mapping, sqliteChecksums(state), before, extent),
  };
}

async function compare(before: DatabaseDigests, opened: Opened, extent: Extent) {
  return compareDatabase(before, await stateOf(opened), (await contentOf(opened)).tables, extent);
}

async function load(opened: Opened): Promise<LoadedSnapshot> {
  return loadStrapiContent(await contentOf(opened), 'project', new Problems('tolerant'), { users: opened.users });
}

async function record(opened: Opened) {
  const recorded = new RecordedContent(await contentOf(opened), await stateOf(opened), 'data.db');
  const { users } = opened;
  const loaded = await loadStrapiContent(recorded, 'project', new Problems('tolerant'), { users });
  return { loaded, state: await recorded.finish() };
}

const withAndWithout = recordedProjects.flatMap((name) => [[name, true] as const, [name, false] as const]);

test.each(withAndWithout)('the batches of %s, with users: %s, lead to what a fresh load gives', async (name, users) => {
  await prepareDigests();
  const seed = Number(process.env.SEED ?? 1);
  const random = randomFrom(seed);
  const opened = await open(name, users);
  const { database } = opened;
  let { loaded, state } = await record(opened);
  let count = 0;
  const steps = caseCount(40, 8);
  for (let step = 0; step < steps; step++) {
    // users are edited in any case
    const { mapping } = (await contentOf({ ...opened, users: true })).tables;
    const context: EditContext = { random, database, mapping, schema: loaded.store.schema };
    const names: string[] = [];
    const isSilent = random.chance(8);
    for (let i = random.pick([1, 2, 4, 8, 16]); i > 0; i--) {
      // two changes may be saved in one millisecond
      database.now += random.pick([0, 1, 100, 10_000]);
      const [kind, edit] = random.pick(Object.entries(edits));
      if (edit(context)) names.push(kind);
    }
    if (isSilent && changeSilently(context)) names.push('changeSilently');
    const at = [seed, step, ...names];
    const compared = await compare(state, opened, isSilent ? random.pick(['entries', 'everything']) : 'changes');
    expect([...at, compared]).not.toEqual([...at, null]);
    loaded = applyTo(loaded, compared!.batch);
    state = compared!.digests;
    const fresh = await load(opened);
    if (!users) expect(countUsers(fresh.store)).toBe(0);
    expect([...at, essenceOf(loaded)]).toEqual([...at, essenceOf(fresh)]);
    if (step % 10 === 0) {
      const nothing = { entities: [], links: [] };
      expect([...at, (await compare(state, opened, 'everything'))!.batch]).toEqual([...at, nothing]);
    }
    count += names.length;
  }
  await database.close();
  expect(count).toBeGreaterThan(steps);
});

/** Deletes rows of a table as SQL without foreign keys does, and returns what puts them back as they were. */
function takeAway(database: StrapiDatabase, table: string, ids: readonly DatabaseValue[]): () => void {
  const rows = ids.flatMap((id) => database.select(table, '"id" = ?', [id]));
  database.run('PRAGMA foreign_keys = OFF');
  for (const { id } of rows) database.delete(table, id);
  return () => {
    for (const row of rows) {
      const names = Object.keys(row);
      const values = names.map(() => '?').join(', ');
      database.run(
        `INSERT INTO ${quote(table)} (${names.map(quote).join(', ')}) VALUES (${values})`,
        names.map((name) => row[name]),
      );
    }
  };
}

test.each(recordedProjects)('links of %s come back with rows that were restored', async (name) => {
  await prepareDigests();
  const opened = await open(name);
  const { database } = opened;
  const recorded = await record(opened);
  const { links, types } = (await contentOf(opened)).tables.mapping;
  let count = 0;
  const relations = links.filter(({ kind, source }) => kind === 'relation' && source !== 'id');
  for (const link of [...links.filter(({ kind }) => kind === 'polymorphic'), ...relations.slice(0, 4)]) {
    for (const end of ['source', 'target'] as const) {
      const [row] = database.select(link.table, `${quote(link.source)} IS NOT NULL`);
      if (!row) continue;
      const otherUid = link.kind === 'relation' ? link.target : String(row[link.targetType]);
      const table = types.get(end === 'source' ? link.uid : otherUid)?.table;
      if (!table) continue;
      const restore = takeAway(database, table, [row[end === 'source' ? link.source : link.targetId]]);
      let { loaded, state } = recorded;
      const follow = async (extent: Extent) => {
        const compared = (await compare(state, opened, extent))!;
        loaded = applyTo(loaded, compared.batch);
        state = compared.digests;
        const at = [link.table, end, extent];
        expect([...at, essenceOf(loaded)]).toEqual([...at, essenceOf(await load(opened))]);
      };
      // a component is found by its entry, whose time of change says nothing
      const isComponent = table.startsWith('components_');
      const extents = isComponent ? (['entries', 'everything'] as const) : (['changes', 'everything'] as const);
      await follow(extents[0]);
      restore();
      await follow(extents[count % 2]);
      count++;
    }
  }
  await database.close();
  expect(count).toBeGreaterThan(4);
});

test('entries are read again whose tables are as they were before the last change', async () => {
  await prepareDigests();
  const opened = await open('museum');
  const { database } = opened;
  let { loaded, state } = await record(opened);
  const [{ id, label, updated_at }] = database.select('tags');
  const follow = async (extent: Extent) => {
    const compared = (await compare(state, opened, extent))!;
    loaded = applyTo(loaded, compared.batch);
    state = compared.digests;
    return compared.batch.entities.length;
  };
  database.update('tags', id, { label: `${label}`.replace(/./, '#'), updated_at: Number(updated_at) + 100_000 });
  expect(await follow('changes')).toBe(1);
  database.update('tags', id, { label, updated_at });
  expect(await follow('entries')).toBe(1);
  expect(essenceOf(loaded)).toEqual(essenceOf(await load(opened)));
  expect(await follow('entries')).toBe(0);
  await database.close();
});
