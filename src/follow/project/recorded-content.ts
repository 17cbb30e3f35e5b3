import { Problems } from '../../core/problems.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import type { DatabaseContent } from '../../load/database/database-content.ts';
import type { LineReader, StrapiContent } from '../../load/strapi/strapi-content.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { isAdministration, type Schema } from '../../model/schema/schema.ts';
import { linkName } from '../../store/writer/links/store-links.ts';
import { ContentComparison } from '../compare/content-comparison.ts';
import { emptyState } from '../compare/content-state.ts';
import { type CopiedTables, entryTables, readLinks, readVersions } from './compare-database.ts';
import { type DatabaseDigests, entriesDigests, type TableVersions } from './database-digests.ts';

/** The content of a copy of a database. Records its digests while it is loaded. */
export class RecordedContent implements StrapiContent {
  readonly #content: DatabaseContent;
  readonly #copy: CopiedTables;
  readonly #location: string;
  readonly #schema: Schema;
  readonly #comparison: ContentComparison;
  readonly #links = new Map<string, string | null>();

  /** `location` is the place of the database in messages. */
  constructor(content: DatabaseContent, copy: CopiedTables, location: string) {
    this.#content = content;
    this.#copy = copy;
    this.#location = location;
    this.#schema = servedSchema(content);
    this.#comparison = new ContentComparison(emptyState(this.#schema), false);
  }

  get strapiVersion(): string | null {
    return this.#content.strapiVersion;
  }

  get types(): DatabaseContent['types'] {
    return this.#content.types;
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
    if (stage === 'links') return runInTurns(this.#eachLinkInSteps(take));
    const { entries } = this.#comparison;
    for (const { uid } of entryTables(this.#schema, this.#copy)) entries.readWhole(uid);
    await this.#content.each(stage, (line, location) => {
      take(line, location);
      entries.add(line);
    });
  }

  /** Returns the recorded digests. To be called when everything has been read. */
  finish(): DatabaseDigests {
    const versions = new Map<string, TableVersions>();
    const types = entryTables(this.#schema, this.#copy);
    for (const type of types) {
      const found = readVersions(this.#copy, type);
      if (found) versions.set(type.uid, found);
    }
    const { state } = this.#comparison.finish();
    const { tables, pages, copiedAt } = this.#copy;
    const uids = types.map(({ uid }) => uid);
    const digests = entriesDigests(uids, tables.mapping, pages);
    return { content: state, versions, links: this.#links, digests, copiedAt };
  }

  *#eachLinkInSteps(take: LineReader): Steps<void> {
    this.#comparison.beginLinks();
    for (const table of this.#copy.tables.mapping.links) {
      const location = `${this.#location}, table ${table.table}`;
      const digest = readLinks(this.#comparison, this.#copy, table, (line) => take(line, location));
      this.#links.set(linkName(table.uid, table.attribute), digest);
      yield;
    }
  }
}

/** The schema that the load uses. The load reports its mistakes. */
function servedSchema({ types }: DatabaseContent): Schema {
  const served = types.filter(({ uid }) => !isAdministration(uid));
  return readSchema(served, new Problems('tolerant'), { needsInversedBy: true });
}
