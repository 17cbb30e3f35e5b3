/**
 * A loaded snapshot as a message between threads: the memory of its store is moved or shared, everything else copied.
 */
import type { SnapshotWarning, Tolerance } from '../base/problems.ts';
import { attachContent, type DescribedContent, describeContent } from '../image/describe-content.ts';
import type { ContentVersion } from '../store/content-version.ts';
import { imageContentOf, snapshotOf } from './image-snapshot.ts';
import type { LoadedSnapshot } from './loaded.ts';
import type { UploadedFiles } from './uploaded-files.ts';

export interface DescribedSnapshot {
  readonly content: DescribedContent;
  readonly tolerance: Tolerance;
  readonly uploadedFiles: UploadedFiles | null;
  readonly warnings: readonly SnapshotWarning[];
  readonly version?: ContentVersion;
}

/**
 * The buffers are those of the store: they are not copied. `mediaUrl` is the option that the snapshot was loaded with.
 */
export function describeSnapshot(loaded: LoadedSnapshot, mediaUrl: string | undefined): DescribedSnapshot {
  const { tolerance, uploadedFiles, warnings, version } = loaded;
  return { content: describeContent(imageContentOf(loaded, mediaUrl)), tolerance, uploadedFiles, warnings, version };
}

/** Takes no work that grows with the rows. */
export function attachSnapshot({ content, ...rest }: DescribedSnapshot): LoadedSnapshot {
  return { ...snapshotOf(attachContent(content)), ...rest };
}
