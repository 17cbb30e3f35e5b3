import { Problems } from '../../core/problems.ts';
import { IdTable } from '../../core/sets/id-table.ts';
import type { DatabaseContent } from '../../load/database/database-content.ts';
import type { LineReader, StrapiContent } from '../../load/strapi/strapi-content.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { isAdministration, type Schema } from '../../model/schema/schema.ts';
import { ContentComparison } from '../compare/content-comparison.ts';
import { emptyState } from '../compare/content-state.ts';
import type { TableMarks, TableTracking, TrackedState } from '../database/followed-database.ts';
import { type DatabaseDigests, entryTables, readLinks } from './compare-database.ts';

/** The content of a state of a database. Records its digests while it is loaded. */
export class RecordedContent implements StrapiContent {
  readonly #content: DatabaseContent;
  readonly #location: string;
  readonly #schema: Schema;
  readonly #comparison: ContentComparison;
  readonly #marks: TableMarks | null;
  /** Null if the marks are known. */
  readonly #tracking: TableTracking | null;

  /** `location` is the place of the database in messages. `marks` are those of the content if it was staged. */
  constructor(content: DatabaseContent, state: TrackedState, location: string, marks: TableMarks | null = null) {
    this.#content = content;
    this.#location = location;
    this.#schema = servedSchema(content);
    this.#comparison = new ContentComparison(emptyState(this.#schema), false);
    this.#marks = marks;
    this.#tracking = marks ? null : state.track(content.tables.mapping, null, 'everything');
  }

  get strapiVersion(): string | null {
    return this.#content.strapiVersion;
  }

  get database(): DatabaseContent['database'] {
    return this.#content.database;
  }

  get mysql(): DatabaseContent['mysql'] {
    return this.#content.mysql;
  }

  get types(): DatabaseContent['types'] {
    return this.#content.types;
  }

  get warnings(): DatabaseContent['warnings'] {
    return this.#content.warnings;
  }

  get duplicateHint(): string {
    return this.#content.duplicateHint;
  }

  has(): boolean {
    return true;
  }

  uploadedFiles(names: ReadonlySet<string>): Promise<UploadedFiles | null> {
    return this.#content.uploadedFiles(names);
  }

  /** Entities and links have to be read once, entities first. */
  async each(stage: 'entities' | 'links' | 'configuration', take: LineReader): Promise<void> {
    if (stage === 'configuration') return this.#content.each(stage, take);
    if (stage === 'links') return this.#eachLink(take);
    const { entries } = this.#comparison;
    for (const { uid } of entryTables(this.#schema, this.#content.tables)) entries.readWhole(uid);
    await this.#content.each(stage, (line, location) => {
      take(line, location);
      entries.add(line);
    });
  }

  /** Returns the recorded digests. To be called when everything has been read. */
  async finish(): Promise<DatabaseDigests> {
    const { state } = this.#comparison.finish();
    return { content: state, marks: this.#marks ?? (await this.#readMarks(this.#tracking!)) };
  }

  async #readMarks(tracking: TableTracking): Promise<TableMarks> {
    for (const type of entryTables(this.#schema, this.#content.tables)) await tracking.entries(type, IdTable.empty.ids);
    return tracking.finish(null);
  }

  async #eachLink(take: LineReader): Promise<void> {
    const { tables } = this.#content;
    this.#comparison.beginLinks();
    for (const table of tables.mapping.links) {
      const location = `${this.#location}, table ${table.table}`;
      await readLinks(this.#comparison, tables, table, this.#tracking, { take: (link) => take(link, location) });
    }
  }
}

/** The schema that the load uses. The load reports its mistakes. */
function servedSchema({ types }: DatabaseContent): Schema {
  const served = types.filter(({ uid }) => !isAdministration(uid));
  return readSchema(served, new Problems('tolerant'), { needsInversedBy: true });
}
