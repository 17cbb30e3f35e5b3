import { ProjectReader } from './project/project-reader.ts';
import { RestReader } from './rest/rest-reader.ts';
import type { Source } from './source.ts';
import type { OnUnchanged, SourceReader } from './source-reader.ts';

/** Creates the reader of a source, in the thread that reads it. */
export function createReader(source: Source, onUnchanged: OnUnchanged): SourceReader {
  return source.kind === 'project' ? new ProjectReader(source, onUnchanged) : new RestReader(source, onUnchanged);
}
