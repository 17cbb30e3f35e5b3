import { SnapshotError } from '../base/errors.ts';
import { ProjectReader } from './project/project-reader.ts';
import type { Source } from './source.ts';
import type { OnUnchanged, SourceReader } from './source-reader.ts';

/** Creates the reader of a source, in the thread that reads it. */
export function createReader(source: Source, onUnchanged: OnUnchanged): SourceReader {
  if (source.kind === 'project') return new ProjectReader(source, onUnchanged);
  throw new SnapshotError([`${source.url}: this source cannot be read`]);
}
