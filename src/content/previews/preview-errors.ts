import { SnapshotError } from '../../core/errors.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { conflict } from '../registry/conflict.ts';
import type { PutPreview } from './preview-parts.ts';

/** Returns the reply to a request for a preview whose changes do not fit, or an error that is not their fault as it is. */
export function asConflict({ name, preview }: PutPreview, error: unknown): Error {
  const text = `The changes of the preview "${name}" do not fit "${preview.base}" as it is now`;
  if (error instanceof SnapshotError) {
    const { problems, count } = error;
    return conflict(`${text}: ${problems[0]}`, { problems, count });
  }
  return error instanceof ConfigError ? conflict(`${text}: ${error.message}`) : (error as Error);
}
