import type { Batch } from '../../changes/batch/batch.ts';
import type { LoadedAccess } from '../../load/loaded.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import type { DatabaseState } from './database-state.ts';
import type { ProjectFrame } from './project-frame.ts';

/** What is known of the content that was returned last. */
export interface KnownProject {
  readonly project: StrapiProject;
  readonly access: LoadedAccess;
  readonly frame: ProjectFrame;
  readonly database: DatabaseState;
  /** The `databaseState` of the last comparison. */
  readonly state: string;
}

/** What a comparison found besides the batch. */
export interface Findings {
  readonly problem: string | null;
  readonly reason: string | null;
  readonly readAt: number;
}

export function isEmpty({ entities, links }: Batch): boolean {
  return entities.length === 0 && links.length === 0;
}
