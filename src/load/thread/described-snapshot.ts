/**
 * A snapshot as a message between threads: the memory of its store is moved or shared, everything else copied.
 */

import { sharedAllocator } from '../../core/memory/allocator.ts';
import type { SnapshotWarning, Tolerance } from '../../core/problems.ts';
import { runAtOnce } from '../../core/steps.ts';
import type { SignInSecrets } from '../../model/access/sign-in.ts';
import type { Schema } from '../../model/schema/schema.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { attachChanges } from '../../store/overlay/attach-changes.ts';
import { baseOf, type DescribedSegment, describeChangesInSteps } from '../../store/overlay/describe-changes.ts';
import { hasChanges } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { attachContent, attachStoreOf, type DescribedContent, describeContent } from '../image/describe-content.ts';
import { imageContentOf, snapshotOf } from '../image-snapshot.ts';
import type { LoadedSnapshot } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';

/** A store over the same memory in any thread. */
export interface DescribedStore {
  /** The base. */
  readonly content: DescribedContent;
  /** The changes since; null for none. */
  readonly changes: readonly DescribedSegment[] | null;
}

export interface DescribedSnapshot extends DescribedStore {
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
  const { store, tolerance, uploadedFiles, replacesFiles, warnings, version, secrets } = loaded;
  const isChanged = store.segments.some(hasChanges);
  const content = { ...imageContentOf(loaded), store: isChanged ? baseOf(store) : store };
  const changes = isChanged ? runAtOnce(describeChangesInSteps(store, sharedAllocator)) : null;
  const files = uploadedFiles && withPlainNames(uploadedFiles);
  const described = { content: describeContent(content), changes, tolerance, uploadedFiles: files };
  return { ...described, replacesFiles, warnings, version, secrets };
}

/** A message cannot hold the names that changes keep beside others. */
function withPlainNames(files: UploadedFiles): UploadedFiles {
  const { names } = files;
  return names === null || names instanceof Set ? files : { ...files, names: new Set(names) };
}

/** Takes no work that grows with the rows of the base. */
export function attachSnapshot({ content, changes, ...rest }: DescribedSnapshot): LoadedSnapshot {
  const attached = attachContent(content);
  return { ...snapshotOf({ ...attached, store: withChanges(attached.store, changes) }), ...rest };
}

/** Returns the store of a described snapshot. `schema` is equal to that of the snapshot. */
export function attachDescribedStore(schema: Schema, { content, changes }: DescribedStore): Store {
  return withChanges(attachStoreOf(schema, content), changes);
}

function withChanges(base: Store, changes: DescribedStore['changes']): Store {
  return changes ? attachChanges(base, changes) : base;
}
