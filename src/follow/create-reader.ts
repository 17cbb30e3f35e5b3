import { FittingComponents } from '../load/project/project-content.ts';
import { ProjectFiles } from '../load/project/project-files.ts';
import { ProjectReader } from './project/project-reader.ts';
import { RestReader } from './rest/rest-reader.ts';
import type { OnAccess, OnUnchanged, Source, SourceReader } from './source-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let files: ProjectFiles | undefined;

/** Creates the reader of a source, in the thread that reads it. */
export function createReader(source: Source, onUnchanged: OnUnchanged, onAccess: OnAccess): SourceReader {
  if (source.kind === 'rest') return new RestReader(source, onUnchanged);
  files ??= new ProjectFiles(source.folder);
  return new ProjectReader(source, onUnchanged, components, onAccess, files);
}
