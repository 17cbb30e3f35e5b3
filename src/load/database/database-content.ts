/** The content of a Strapi database. */
import { type DatabaseName, databaseNames, type MysqlTables } from '../../core/dialect.ts';
import { Problems, type SnapshotWarning } from '../../core/problems.ts';
import { takeInTurns } from '../../core/steps.ts';
import { withPrivateAttributes } from '../../model/schema/privacy.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { isAdministration } from '../../model/schema/schema.ts';
import { type LineReader, localeSetting, type StrapiContent, userSetting } from '../strapi/strapi-content.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import type { Database, DatabaseDialect, TableColumns } from './database.ts';
import { type ContentTables, DatabaseTables } from './database-tables.ts';
import { columnName, tableName } from './identifiers.ts';
import { readSetting, readStoredTypes, type StoredAttribute, type StoredType } from './stored-types.ts';
import { componentColumns, linkColumns, mapTables, type TableMapping, tableNames } from './table-mapping.ts';
import { readWithheld, withoutUsers, withoutWithheld } from './withheld-tables.ts';

/** What a database does not say about its content. */
interface ProjectFacts {
  readonly strapiVersion: string | null;
  /** The definitions of all components. */
  readonly components: readonly StoredType[];
  /** The attributes that are private in every type that has them. */
  readonly privateAttributes: readonly string[];
  /** Whether users are read. */
  readonly users: boolean;
  uploadedFiles(names: ReadonlySet<string>): Promise<UploadedFiles | null>;
}

/** Returns the value of a setting of Strapi, or undefined. */
export type ReadSetting = (key: string) => Promise<unknown>;

/** The settings that an export has and that decide how content is served. */
export const contentSettings = [localeSetting, userSetting];

/** The content of a database, read table by table. */
export class DatabaseContent implements StrapiContent {
  /** Null if queries have no rules of the database. */
  readonly database: DatabaseName | null;
  readonly mysql: MysqlTables | undefined;
  readonly types: readonly StoredType[];
  readonly duplicateHint = ': two entries share this component, but each needs one of its own';
  /** The tables of all content that is served. */
  readonly tables: ContentTables;
  /** The place of the database in messages. */
  readonly location: string;
  /** Tables that may not be read, with what is lost by that, and collations whose rules are not known. */
  readonly warnings: readonly SnapshotWarning[];
  readonly #readSetting: ReadSetting;
  readonly #project: ProjectFacts;

  private constructor(
    database: DatabaseName | null,
    mysql: MysqlTables | undefined,
    types: readonly StoredType[],
    tables: ContentTables,
    readSetting: ReadSetting,
    project: ProjectFacts,
    location: string,
    warnings: readonly SnapshotWarning[],
  ) {
    this.database = database;
    this.mysql = mysql;
    this.types = types;
    this.tables = tables;
    this.#readSetting = readSetting;
    this.#project = project;
    this.location = location;
    this.warnings = warnings;
  }

  /**
   * Reads the content types of a database and finds their tables. `location` is the place of the database in messages.
   * Throws a SnapshotError if the database is not that of a Strapi 5, or if the schema does not fit the tables:
   * a SourceAwayError if a start of Strapi may mend it.
   */
  static async open(database: Database, project: ProjectFacts, location: string): Promise<DatabaseContent> {
    // mistakes that Strapi tolerates are reported when the content is loaded
    const problems = new Problems('tolerant');
    const { dialect } = database;
    const columns = await dialect.readTableColumns(database);
    const contentTypes = await readStoredTypes(database, columns, location, problems);
    const components = project.components.map((component) => withColumnTypes(component, columns, dialect));
    const types = [...contentTypes, ...components].map((type) =>
      withPrivateAttributes(type, project.privateAttributes),
    );
    const served = types.filter(({ uid }) => !isAdministration(uid));
    const schema = readSchema(served, problems, { needsInversedBy: true });
    problems.throwIfAny();
    const mapped = mapTables(served, schema);
    const all = project.users ? mapped : withoutUsers(mapped);
    const withheld = await readWithheld(database, tableNames(all));
    checkTables(all, columns, withheld, location, problems);
    const { mapping, warnings } = withoutWithheld(all, withheld, location, problems);
    // a Strapi that is being started changes the tables, and then its types
    problems.throwIfAny({ mayPass: true });
    const read: ReadSetting = (key) => readSetting(database, key);
    const known = databaseNames.find((name) => name === dialect.name) ?? null;
    const tables = new DatabaseTables(database, mapping);
    const mysql = await dialect.readMysqlTables?.(database, location);
    const notices = [...warnings, ...(mysql?.warnings ?? [])];
    return new DatabaseContent(known, mysql?.tables, types, tables, read, project, location, notices);
  }

  /** Returns the content in another state of the same database, whose `databaseSchema` is the same. */
  over(database: Database): DatabaseContent {
    return this.from(new DatabaseTables(database, this.tables.mapping), (key) => readSetting(database, key));
  }

  /** Returns the content with entries, links and settings that were read before. */
  from(tables: ContentTables, readSetting: ReadSetting): DatabaseContent {
    return new DatabaseContent(
      this.database,
      this.mysql,
      this.types,
      tables,
      readSetting,
      this.#project,
      this.location,
      this.warnings,
    );
  }

  get strapiVersion(): string | null {
    return this.#project.strapiVersion;
  }

  has(): boolean {
    return true;
  }

  async each(stage: 'entities' | 'links' | 'configuration', take: LineReader): Promise<void> {
    if (stage === 'entities') await this.#eachEntity(take);
    else if (stage === 'links') await this.#eachLink(take);
    else {
      for (const key of contentSettings) {
        const value = await this.#readSetting(key);
        take({ type: 'core-store', value: { key, value } }, `${this.location}, setting ${key}`);
      }
    }
  }

  uploadedFiles(names: ReadonlySet<string>): Promise<UploadedFiles | null> {
    return this.#project.uploadedFiles(names);
  }

  async #eachEntity(take: LineReader): Promise<void> {
    for (const { uid, modelType } of this.types as readonly (StoredType & { modelType?: unknown })[]) {
      const type = this.tables.mapping.types.get(uid);
      if (!type || modelType === 'component') continue;
      const location = `${this.location}, table ${type.table}`;
      await takeInTurns(this.tables.entities(uid), (line) => take(line, location));
    }
  }

  async #eachLink(take: LineReader): Promise<void> {
    for (const link of this.tables.mapping.links) {
      const location = `${this.location}, table ${link.table}`;
      await takeInTurns(this.tables.links(link), (line) => take(line, location));
    }
  }
}

/** Gives custom fields the types of their columns, because the files of components only name the fields. */
function withColumnTypes(component: StoredType, columns: TableColumns, dialect: DatabaseDialect): StoredType {
  const table = columns.get(tableName(component.collectionName));
  const typed = Object.entries(component.attributes).map(([name, attribute]) => {
    if (attribute.type !== 'customField') return [name, attribute];
    const { columnName: column = columnName(name) } = attribute as StoredAttribute;
    return [name, { ...attribute, type: dialect.typeOfColumn(table?.get(column) ?? '') ?? 'json' }];
  });
  return { ...component, attributes: Object.fromEntries(typed) };
}

/**
 * Reports the tables and columns that the schema needs and the database lacks, as it does between a change of the
 * schema and the next start of Strapi. `location` is the place of the database in messages.
 */
function checkTables(
  mapping: TableMapping,
  tables: TableColumns,
  withheld: ReadonlySet<string>,
  location: string,
  problems: Problems,
): void {
  const check = (table: string, columns: readonly string[], needer: string) => {
    if (withheld.has(table)) return;
    const found = tables.get(table);
    const hint = 'the schema does not fit the database; start Strapi, which migrates it';
    if (!found) return problems.add(location, `${needer} needs the table ${table}, which is missing: ${hint}`);
    for (const column of columns) {
      if (found.has(column)) continue;
      problems.add(location, `${needer} needs the column ${table}.${column}, which is missing: ${hint}`);
    }
  };
  for (const { uid, table, columns, components } of mapping.types.values()) {
    check(table, ['id'], uid);
    if (tables.has(table)) {
      for (const { attribute, column } of columns) check(table, [column], `${uid}, attribute ${attribute},`);
    }
    if (components) check(components.table, ['id', ...componentColumns], uid);
  }
  for (const link of mapping.links) {
    check(link.table, ['id', ...linkColumns(link)], `${link.uid}, attribute ${link.attribute},`);
  }
}
