import { FittingComponents } from '../../load/project/project-content.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import type { DatabaseSource, OnAccess, OnUnchanged, ProjectSource, SourceReader } from '../source-reader.ts';
import { createProjectInput } from './project-input.ts';
import { ProjectReader } from './project-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let input: ProjectInput | undefined;

/** Creates the reader of a project or a database, in the thread that reads it. */
export function createReader(
  source: ProjectSource | DatabaseSource,
  onUnchanged: OnUnchanged,
  onAccess: OnAccess,
): SourceReader {
  input ??= createProjectInput(source);
  return new ProjectReader(source, onUnchanged, components, onAccess, input);
}
