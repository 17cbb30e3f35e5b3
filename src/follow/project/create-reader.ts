import { FittingComponents } from '../../load/project/project-content.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import type { OnAccess, OnUnchanged, SourceReader } from '../source-reader.ts';
import { createProjectInput } from './project-input.ts';
import { ProjectReader } from './project-reader.ts';

type DatabaseSource = ConstructorParameters<typeof ProjectReader>[0];

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let input: ProjectInput | undefined;

/** Creates the reader of a project or a database, in the thread that reads it. */
export function createReader(source: DatabaseSource, onUnchanged: OnUnchanged, onAccess: OnAccess): SourceReader {
  input ??= createProjectInput(source);
  return new ProjectReader(source, onUnchanged, components, onAccess, input);
}
