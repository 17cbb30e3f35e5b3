/** The content of a Strapi project's database is that of its export. */
import { describe, expect, test } from 'vitest';
import { Problems } from '../../../src/core/problems.ts';
import type { Database } from '../../../src/load/database/database.ts';
import type { DatabaseContent } from '../../../src/load/database/database-content.ts';
import { openDatabase } from '../../../src/load/database/sqlite/open-database.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { loadStrapiContent, type StrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { databaseOf, exportOf, recordedProjects, unpackProject } from './recorded-projects.ts';

/** Opens the content of a project, and calls `note` with each statement. */
async function openContent(folder: string, note: (sql: string) => void = () => {}): Promise<DatabaseContent> {
  const project = await readStrapiProject(folder, {});
  const database = await openDatabase(databaseOf(folder));
  const noting: Database = {
    dialect: database.dialect,
    parts: (sql, parameters) => {
      note(sql);
      return database.parts(sql, parameters);
    },
    all: (sql, parameters) => {
      note(sql);
      return database.all(sql, parameters);
    },
    close: () => database.close(),
  };
  return openProjectContent(noting, project);
}

/** The content with big integers as Strapi reads them from SQLite, rounded to a double. */
function withRoundedIntegers(content: DatabaseContent): StrapiContent {
  const types = new Map(content.types.map((type) => [type.uid, type]));
  const round = (uid: string, values: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const { type, component } = types.get(uid)!.attributes[name] ?? {};
        if (value === null) return [name, value];
        if (type === 'biginteger') return [name, String(Number(value))];
        if (type !== 'component' && type !== 'dynamiczone') return [name, value];
        const roundItem = (item: Record<string, unknown>) => round((item.__component ?? component) as string, item);
        return [name, Array.isArray(value) ? value.map(roundItem) : roundItem(value as Record<string, unknown>)];
      }),
    );
  return {
    strapiVersion: content.strapiVersion,
    types: content.types,
    has: () => true,
    each: (stage, take) =>
      content.each(stage, (line, location) => {
        if (stage !== 'entities') return take(line, location);
        take({ ...line, data: round(line.type as string, line.data as Record<string, unknown>) }, location);
      }),
    uploadedFiles: (names) => content.uploadedFiles(names),
  };
}

describe.each(recordedProjects)('the project %s', (name) => {
  test('its database gives the same store as its export, apart from digits that Strapi rounds', async () => {
    const exported = await loadSnapshot(exportOf(name));
    const content = await openContent(unpackProject(name));
    const problems = new Problems('tolerant');
    const read = await loadStrapiContent(withRoundedIntegers(content), name, problems, {});
    expect(read.store.contentDigest).toBe(exported.store.contentDigest);
    expect(read.roles).toEqual(exported.roles);
    expect(read.blockedUsers).toEqual(exported.blockedUsers);
    expect(read.warnings).toEqual(exported.warnings);
    const described = ({ types }: typeof read) =>
      new Map(types.map((type) => [type.uid, { ...type, location: '', globalId: '' }]));
    expect(described(read)).toEqual(described(exported));
  });

  test('its folder is a snapshot, with every digit of its integers', async () => {
    const folder = unpackProject(name);
    const loaded = await loadSnapshot(folder);
    const content = await openContent(folder);
    const read = await loadStrapiContent(content, name, new Problems('tolerant'), {});
    expect(loaded.store.contentDigest).toBe(read.store.contentDigest);
    expect(loaded).toMatchObject({ kind: 'strapi', tolerance: 'tolerant', strapiVersion: '5.54.0' });
    const integers: string[] = [];
    await content.each('entities', (line) =>
      integers.push(...(JSON.stringify(line).match(/"9007199254740993"/g) ?? [])),
    );
    expect(integers.length).toBeGreaterThan(0);
  });

  test('private attributes, passwords and creators are in no statement', async () => {
    const statements: string[] = [];
    const content = await openContent(unpackProject(name), (sql) => statements.push(sql));
    await loadStrapiContent(content, name, new Problems('tolerant'), {});
    expect(statements.length).toBeGreaterThan(30);
    const text = statements.join('\n');
    const secrets =
      /password|created_by|updated_by|reset|confirmation_token|secret|hidden|valuation|draft_of|"access"|"pass"/i;
    expect(secrets.exec(text)).toBeNull();
    expect(/"(admin_|strapi_(api|transfer|sessions|webhooks))/.exec(text)).toBeNull();
    // the columns exist, so the pattern would find them
    const database = await openDatabase(databaseOf(unpackProject(name)));
    const columns = await database.all('SELECT sql FROM sqlite_schema');
    expect(columns.flat().filter((sql) => secrets.test(String(sql))).length).toBeGreaterThan(2);
  });
});
