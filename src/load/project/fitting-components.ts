import { isDeepStrictEqual } from 'node:util';
import { SnapshotError } from '../../core/errors.ts';
import type { AttributeDefinition } from '../../model/schema/type-definition.ts';
import type { Database } from '../database/database.ts';
import type { DatabaseContent } from '../database/database-content.ts';
import { databaseSchema } from '../database/stored-types.ts';
import type { ComponentFile } from './component-files.ts';
import { openProjectContent } from './project-content.ts';
import type { StrapiProject } from './project-folder.ts';

export interface OpenedContent {
  readonly content: DatabaseContent;
  /** Why the components are not those of the files, for the log. Null if they are. */
  readonly warning: string | null;
}

/**
 * Opens the content of one project in one copy of its database after the other. Strapi runs with the components that it has
 * read at its start, so files that do not fit the tables count from its next start on.
 */
export class FittingComponents {
  #fitting: readonly ComponentFile[] | null = null;
  /** What was opened last, of these files and this schema of the database. */
  #opened: (OpenedContent & { readonly project: StrapiProject; readonly schema: string | null }) | null = null;

  /**
   * Opens the content with the components of the files, or else with the last that did fit. Throws a SnapshotError if neither
   * fit the tables.
   */
  open(database: Database, project: StrapiProject): OpenedContent {
    const schema = databaseSchema(database);
    if (schema === null || this.#opened?.project !== project || this.#opened.schema !== schema) {
      this.#opened = { ...this.#open(database, project), project, schema };
      return this.#opened;
    }
    const { content, warning } = this.#opened;
    return { content: content.over(database), warning };
  }

  #open(database: Database, project: StrapiProject): OpenedContent {
    try {
      const content = openProjectContent(database, project);
      this.#checkComplete(content, project);
      this.#fitting = project.components;
      return { content, warning: null };
    } catch (error) {
      if (!(error instanceof SnapshotError) || !this.#fitting) throw error;
      const content = this.#openWithEarlier(database, project, this.#fitting);
      if (!content) throw error;
      return { content, warning: `${stays}: ${error.problems[0]}` };
    }
  }

  /** Throws a SnapshotError if a component is gone that a type still has. A load would leave the attribute out. */
  #checkComplete({ types }: DatabaseContent, { components }: StrapiProject): void {
    const present = new Set(components.map(({ uid }) => uid));
    const gone = (this.#fitting ?? []).filter(({ uid }) => !present.has(uid));
    for (const { uid, path } of gone) {
      const user = types.find(({ attributes }) =>
        Object.values(attributes).some((each) => namesOf(each).includes(uid)),
      );
      if (user) throw new SnapshotError([`${path}: no such file, but ${user.uid} has the component`]);
    }
  }

  #openWithEarlier(
    database: Database,
    project: StrapiProject,
    components: readonly ComponentFile[],
  ): DatabaseContent | null {
    if (isDeepStrictEqual(components, project.components)) return null;
    try {
      return openProjectContent(database, { ...project, components });
    } catch (error) {
      if (error instanceof SnapshotError) return null;
      throw error;
    }
  }
}

/** Returns the components that an attribute may hold. */
function namesOf({ component, components }: AttributeDefinition): readonly unknown[] {
  return [component, ...(Array.isArray(components) ? components : [])];
}

const stays =
  'the files of the components do not fit the database, so the last ones that did are used until Strapi is started again';
