import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { followDatabase } from '../../../src/follow/database/follow-database.ts';
import { AccessWatch } from '../../../src/follow/project/access-watch.ts';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import type { LoadedAccess, LoadedSnapshot } from '../../../src/load/loaded.ts';
import { FittingComponents, openProjectContent, readProjectAccess } from '../../../src/load/project/project-content.ts';
import { ProjectFiles } from '../../../src/load/project/project-files.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { databaseOf, unpackProject } from '../../load/project/recorded-projects.ts';
import { applyTo, essenceOf } from './followed-content.ts';
import { StrapiDatabase } from './strapi-database.ts';

let folder: string;
let components: FittingComponents;
let reader: ProjectReader;
let unchanged: number[];
let loaded: LoadedSnapshot;

beforeEach(async () => {
  folder = unpackProject('museum');
  unchanged = [];
  const source = { kind: 'project', folder, compareSeconds: 3600 } as const;
  components = new FittingComponents();
  reader = new ProjectReader(source, (readAt) => unchanged.push(readAt), components);
  loaded = await reader.load({});
});

afterEach(() => reader.close());

/** Changes the database as one transaction. */
function change(edit: (database: StrapiDatabase) => void, path = databaseOf(folder)): void {
  const database = new StrapiDatabase(path, true);
  database.now = Date.now();
  database.run('BEGIN');
  edit(database);
  database.run('COMMIT');
  database.close();
}

const rename = (label: string) => (database: StrapiDatabase) => {
  const [{ id }] = database.select('tags');
  database.update('tags', id, { label, updated_at: database.now });
};

/** Adds an attribute to the file of a component. */
function addAttribute(path: string): void {
  const { attributes, ...component } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...component, attributes: { ...attributes, weight: { type: 'integer' } } }));
}

/** Changes an entry, and expects the batch of it alone. */
async function isFollowed(label: string): Promise<SourceChange> {
  change(rename(label));
  const found = await reader.next();
  if (found.kind !== 'batch') throw new Error(found.reason);
  expect(found.batch).toMatchObject({ entities: [{ type: 'api::tag.tag', data: { label } }], links: [] });
  loaded = applyTo(loaded, found.batch);
  return found;
}

describe('the reader of a project', () => {
  test('loads what loadSnapshot does', async () => {
    expect(essenceOf(loaded)).toEqual(essenceOf(await loadSnapshot(folder)));
  });

  test('finds each change in the database', async () => {
    for (const label of ['first', 'second']) {
      const next = reader.next();
      change(rename(label));
      const found = await next;
      if (found.kind !== 'batch') throw new Error(found.reason);
      expect(found.batch.entities).toMatchObject([{ type: 'api::tag.tag', data: { label } }]);
      expect(found.changedAt).toBeLessThanOrEqual(found.readAt);
      loaded = applyTo(loaded, found.batch);
      expect(essenceOf(loaded)).toEqual(essenceOf(await loadSnapshot(folder)));
    }
  });

  test('rewrites addresses of files in texts when it loads and when it follows', async () => {
    const updatedAt = Date.now();
    const write = (prefix: string) =>
      change((database) => {
        const [{ id }] = database.select('exhibits');
        const link = { type: 'link', url: `${prefix}/uploads/a.png`, children: [{ type: 'text', text: 'a' }] };
        database.update('exhibits', id, {
          story: `![a](${prefix}/uploads/a.png)`,
          notes: JSON.stringify([{ type: 'paragraph', children: [link] }]),
          measures: JSON.stringify({ plan: `${prefix}/uploads/a.png` }),
          updated_at: updatedAt,
        });
      });
    const origin = 'http://localhost:1337';
    const options = { uploadsOrigins: [origin], mediaUrl: 'https://files.example.org' };
    const plain = await reader.load(options);
    const next = reader.next();
    write(origin);
    const found = await next;
    if (found.kind !== 'batch') throw new Error(found.reason);
    const followed = applyTo(plain, found.batch);
    const read = await loadSnapshot(folder, options);
    expect(essenceOf(followed)).toEqual(essenceOf(read));
    write('https://files.example.org');
    const rewritten = await loadSnapshot(folder, { mediaUrl: options.mediaUrl });
    expect(essenceOf(read)).toEqual(essenceOf(rewritten));
  });

  test('asks for a new load when the content types change', async () => {
    change((database) =>
      database.run(
        `UPDATE strapi_core_store_settings SET value = replace(value, '"displayName":"tag"', '"displayName":"Tag"') WHERE key = 'strapi_content_types_schema'`,
      ),
    );
    expect(await reader.next()).toMatchObject({ kind: 'reload', reason: 'the content types have changed' });
    loaded = await reader.load({});
    change(rename('after'));
    expect(await reader.next()).toMatchObject({ kind: 'batch' });
  });

  test('tells that an API token is deleted before anything else, and not that it was used', async () => {
    change((database) => database.run('UPDATE strapi_api_tokens SET last_used_at = 1'));
    const next = reader.next();
    await expect.poll(() => unchanged.length).toBeGreaterThan(0);
    let deleted = '';
    change((database) => {
      const [{ id, access_key }] = database.select('strapi_api_tokens');
      deleted = String(access_key);
      database.delete('strapi_api_tokens', id);
      database.run(
        `UPDATE strapi_core_store_settings SET value = replace(value, '"displayName":"tag"', '"displayName":"Tag"')`,
      );
      rename('with the token')(database);
    });
    const found = await next;
    if (found.kind !== 'access') throw new Error(found.reason);
    expect(found.reason).toBe('the API tokens have changed');
    expect(found.access.apiTokens).toHaveLength(loaded.apiTokens!.length - 1);
    expect(JSON.stringify(found.access.apiTokens)).not.toContain(deleted);
    expect(await reader.next()).toMatchObject({ kind: 'reload', reason: 'the content types have changed' });
  });

  test('tells that an API token is deleted while everything is loaded', async () => {
    const tokens: number[] = [];
    const source = { kind: 'project', folder, compareSeconds: 3600 } as const;
    const loading = new ProjectReader(
      source,
      () => {},
      components,
      ({ apiTokens }) => {
        // the load has read the tokens already
        if (tokens.push(apiTokens!.length) > 1) return;
        change((database) => database.delete('strapi_api_tokens', database.select('strapi_api_tokens')[0].id));
      },
    );
    const { apiTokens } = await loading.load({}).finally(() => loading.close());
    const before = loaded.apiTokens!.length;
    expect([tokens, apiTokens!.length]).toEqual([[before, before - 1], before - 1]);
  });

  test('looks at the tokens while a load goes on', async () => {
    const project = await readStrapiProject(folder);
    const database = followDatabase(project.database, () => {});
    const states = database.createOpener();
    const state = await states.open();
    const tokens: number[] = [];
    const onAccess = ({ apiTokens }: LoadedAccess) => void tokens.push(apiTokens!.length);
    const access = await readProjectAccess(state.database, project);
    const watch = new AccessWatch(project, state.mark, access, { files: new ProjectFiles(folder), database, onAccess });
    change((database) => database.delete('strapi_api_tokens', database.select('strapi_api_tokens')[0].id));
    await expect.poll(() => tokens.length).toBe(2);
    expect((await watch.end()).apiTokens).toHaveLength(tokens[0] - 1);
    // reading leaves turns of the event loop to the watch
    for (const stage of ['entities', 'links'] as const) {
      const content = await openProjectContent(state.database, project);
      let lines = 0;
      let linesAtTurn = 0;
      setImmediate(() => (linesAtTurn = lines));
      await content.each(stage, () => {
        if (++lines === 1) for (const end = performance.now() + 5; performance.now() < end; );
      });
      expect(linesAtTurn).toBeGreaterThan(0);
      expect(linesAtTurn).toBeLessThan(lines);
    }
    await state.close();
    await database.watch.close();
    await states.close();
  });

  test('tells that users have to confirm their address', async () => {
    change((database) =>
      database.run(
        `UPDATE strapi_core_store_settings SET value = json_set(value, '$.email_confirmation', json('true')) WHERE key = 'plugin_users-permissions_advanced'`,
      ),
    );
    const reason = 'the settings of users have changed';
    expect(await reader.next()).toMatchObject({ kind: 'access', access: { emailConfirmation: true }, reason });
    await isFollowed('afterwards');
  });

  test('tells of another secret without a write to the database', async () => {
    const environment = readFileSync(join(folder, '.env'), 'utf8');
    writeFileSync(join(folder, '.env'), environment.replace(/^JWT_SECRET=.*$/m, 'JWT_SECRET=other'));
    const access = { secrets: { ...loaded.secrets, jwtSecret: 'other' }, apiTokens: loaded.apiTokens };
    expect(await reader.next()).toMatchObject({ kind: 'access', reason: 'the secrets have changed', access });
    await isFollowed('afterwards');
  });

  test('asks for a new load when config/api hides an attribute, without a write to the database', async () => {
    writeFileSync(
      join(folder, 'config', 'api.js'),
      `module.exports = { responses: { privateAttributes: ['label'] } };`,
    );
    const reason = 'the content types and the settings of the project have changed';
    expect(await reader.next()).toMatchObject({ kind: 'reload', reason });
  });

  test.each(['gone', 'empty'])('keeps private attributes private while config/api is %s', async (how) => {
    const path = join(folder, 'config', 'api.js');
    const hidden = `module.exports = { responses: { privateAttributes: ['label'] } };`;
    writeFileSync(path, hidden);
    const hiding = essenceOf(await reader.load({}));
    if (how === 'gone') rmSync(path);
    else writeFileSync(path, '');
    await expect(reader.load({})).rejects.toThrow('config/api is gone or exports nothing');
    await expect(reader.next()).rejects.toThrow('config/api is gone or exports nothing');
    writeFileSync(path, hidden);
    expect(essenceOf(await reader.load({}))).toEqual(hiding);
  });

  test.each(['alone', 'with another one, and after a hint'])('finds a change without its time (%s)', async (how) => {
    const [{ id }] = await withDatabase((database) => database.select('components_detail_sizes'));
    change((database) => {
      if (how !== 'alone') rename('with its time')(database);
      database.update('components_detail_sizes', id, { unit: 'inch', width: 77 });
    });
    let found = await reader.next();
    if (how !== 'alone' && found.kind === 'batch') {
      loaded = applyTo(loaded, found.batch);
      reader.hint();
      found = await reader.next();
    }
    if (found.kind !== 'batch') throw new Error(found.reason);
    const reason = '1 entry was written without a new time of change, and found by a comparison of all entries';
    expect(found.reason).toBe(reason);
    expect(essenceOf(applyTo(loaded, found.batch))).toEqual(essenceOf(await loadSnapshot(folder)));
  });

  test.each<[string, (path: string) => void, string]>([
    ['with an attribute that the table lacks', (path) => addAttribute(path), 'needs the column'],
    ['that is not JSON', (path) => writeFileSync(path, '{'), 'is not JSON'],
    ['that is gone', (path) => rmSync(path), 'no such file'],
  ])('goes on with the last components if the files have one %s', async (_, edit, problem) => {
    const path = join(folder, 'src', 'components', 'detail', 'size.json');
    const written = readFileSync(path, 'utf8');
    edit(path);
    const warned = await reader.next();
    expect(warned).toMatchObject({ kind: 'batch', batch: { entities: [], links: [] } });
    expect(warned.warning).toContain(problem);
    expect((await isFollowed('meanwhile')).warning).toBeUndefined();
    // so does the reader that takes its place
    const loadAgain = async () => {
      const later = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {}, components);
      const again = await later.load({}).finally(() => later.close());
      expect(essenceOf(again)).toEqual(essenceOf(loaded));
      return again.warnings.map(({ kind }) => kind);
    };
    expect(await loadAgain()).toContain('old-components');
    writeFileSync(path, written);
    expect(await loadAgain()).not.toContain('old-components');
  });

  test('rejects while the database cannot be read, and goes on afterwards', async () => {
    const path = databaseOf(folder);
    renameSync(path, `${path}.away`);
    await expect(reader.next()).rejects.toThrow('no such file');
    writeFileSync(
      path,
      'this is no database, but it is longer than a header of one hundred bytes would have to be, is it not',
    );
    await expect(reader.next()).rejects.toThrow(path);
    renameSync(`${path}.away`, path);
    change((database) => database.run('ALTER TABLE tags RENAME COLUMN label TO title'));
    await expect(reader.next()).rejects.toThrow('tags.label');
    change((database) => database.run('ALTER TABLE tags RENAME COLUMN title TO label'));
    change(rename('back'));
    const found = await reader.next();
    expect(found).toMatchObject({ kind: 'batch', batch: { entities: [{ data: { label: 'back' } }] } });
  });

  test.each<[string, () => void, string]>([
    ['whose database is missing', () => rmSync(databaseOf(folder)), 'no such file'],
    ['whose database is empty', () => writeFileSync(databaseOf(folder), ''), 'the file is empty'],
    [
      'whose tables are not made yet',
      () => change((database) => database.run('DROP TABLE strapi_core_store_settings')),
      'not the database of a Strapi',
    ],
    [
      'whose types are not written yet',
      () => change((database) => database.run('DELETE FROM strapi_core_store_settings')),
      'has no content types yet',
    ],
    [
      'whose tables are migrated',
      () => change((database) => database.run('ALTER TABLE tags RENAME COLUMN label TO title')),
      'tags.label',
    ],
    ['that is gone', () => renameSync(folder, `${folder}.away`), 'the folder of the project is gone'],
  ])('a project %s is away, so a start waits for it', async (_, edit, problem) => {
    edit();
    const starting = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
    const error = await starting.load({}).catch((error) => error);
    await starting.close();
    expect(error).toBeInstanceOf(SourceAwayError);
    expect(error.message).toContain(problem);
  });

  test('a project on a database that is not read is wrong, so a start does not wait', async () => {
    writeFileSync(join(folder, 'config', 'database.js'), `module.exports = { connection: { client: 'oracledb' } };`);
    const error = await reader.load({}).catch((error) => error);
    expect(error.message).toContain('only SQLite, PostgreSQL, MySQL and MariaDB are read');
    expect(error).not.toBeInstanceOf(SourceAwayError);
  });

  test('tells when a file changes after a failure, until the next call', async () => {
    const path = databaseOf(folder);
    const rejects = () => expect(reader.next()).rejects.toThrow('no such file');
    renameSync(path, `${path}.away`);
    await rejects();
    const superseded = reader.fileChange();
    await rejects();
    expect(await superseded).toBe(false);
    let isTold = false;
    const told = reader.fileChange().then((isChanged) => (isTold = isChanged));
    // the first look may come before or after a change
    for (let isAway = true; !isTold; isAway = !isAway) {
      renameSync(...((isAway ? [`${path}.away`, path] : [path, `${path}.away`]) as [string, string]));
      await Promise.race([told, setTimeout(1500)]);
    }
  });

  test.each([true, false])(
    'reads another database that the project names, whether the first is gone (%s)',
    async (isGone) => {
      const other = join(folder, '.tmp', 'other.db');
      copyFileSync(databaseOf(folder), other);
      const environment = readFileSync(join(folder, '.env'), 'utf8');
      writeFileSync(join(folder, '.env'), environment.replace('data.db', 'other.db'));
      if (isGone) {
        rmSync(databaseOf(folder));
        await expect(reader.next()).rejects.toThrow('no such file');
      }
      const reason = expect.stringContaining('the settings of the project have changed');
      expect(await reader.next()).toMatchObject({ kind: 'reload', reason });
      loaded = await reader.load({});
      change(rename('in the other'), other);
      expect(await reader.next()).toMatchObject({
        kind: 'batch',
        batch: { entities: [{ data: { label: 'in the other' } }] },
      });
    },
  );

  test('ends a call of next when it is closed', async () => {
    const next = reader.next();
    const rejected = expect(next).rejects.toThrow('the reader was closed');
    await reader.close();
    await rejected;
  });
});

async function withDatabase<Result>(read: (database: StrapiDatabase) => Result): Promise<Result> {
  const database = new StrapiDatabase(join(databaseOf(folder)), true);
  try {
    return read(database);
  } finally {
    database.close();
  }
}
