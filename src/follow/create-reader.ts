import { FittingComponents } from '../load/project/project-content.ts';
import type { ProjectInput } from '../load/project/project-files.ts';
import { createProjectInput } from './project/project-input.ts';
import { ProjectReader } from './project/project-reader.ts';
import { RestReader } from './rest/rest-reader.ts';
import type { OnAccess, OnUnchanged, Source, SourceReader } from './source-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let input: ProjectInput | undefined;

/** Creates the reader of a source, in the thread that reads it. */
export function createReader(source: Source, onUnchanged: OnUnchanged, onAccess: OnAccess): SourceReader {
  if (source.kind === 'rest') return new RestReader(source, onUnchanged);
  input ??= createProjectInput(source);
  return new ProjectReader(source, onUnchanged, components, onAccess, input);
}
