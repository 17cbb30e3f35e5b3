/**
 * A snapshot as a message between threads: the memory of its store is moved or shared, everything else copied.
 */

import { sharedAllocator } from '../../core/memory/allocator.ts';
import type { SnapshotWarning, Tolerance } from '../../core/problems.ts';
import type { SignInSecrets } from '../../model/access/sign-in.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { attachContent, type DescribedContent, describeContent } from '../image/describe-content.ts';
import { imageContentOf, snapshotOf } from '../image-snapshot.ts';
import type { LoadedSnapshot } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';

export interface DescribedSnapshot {
  readonly content: DescribedContent;
  readonly tolerance: Tolerance;
  readonly uploadedFiles: UploadedFiles | null;
  readonly replacesFiles?: boolean;
  readonly warnings: readonly SnapshotWarning[];
  readonly version?: ContentVersion;
  /** Not part of the content, which can be written to an image. */
  readonly secrets?: SignInSecrets | null;
}

/** The buffers are those of the base: they are not copied. Changes are copied, for the most part to shared memory. */
export function describeSnapshot(loaded: LoadedSnapshot): DescribedSnapshot {
  const { tolerance, uploadedFiles, replacesFiles, warnings, version, secrets } = loaded;
  const content = describeContent(imageContentOf(loaded), sharedAllocator);
  const files = uploadedFiles && withPlainNames(uploadedFiles);
  return { content, tolerance, uploadedFiles: files, replacesFiles, warnings, version, secrets };
}

/** A message cannot hold the names that changes keep beside others. */
function withPlainNames(files: UploadedFiles): UploadedFiles {
  const { names } = files;
  return names === null || names instanceof Set ? files : { ...files, names: new Set(names) };
}

/** Takes no work that grows with the rows of the base. */
export function attachSnapshot({ content, ...rest }: DescribedSnapshot): LoadedSnapshot {
  return { ...snapshotOf(attachContent(content)), ...rest };
}
