import { SnapshotError } from '../base/errors.ts';
import type { Source } from './source.ts';
import type { OnUnchanged, SourceReader } from './source-reader.ts';

/** Creates the reader of a source, in the thread that reads it. */
export function createReader(source: Source, _onUnchanged: OnUnchanged): SourceReader {
  throw new SnapshotError([`${source.kind === 'rest' ? source.url : source.folder}: this source cannot be read`]);
}
