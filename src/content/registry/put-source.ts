import type { Readable } from 'node:stream';
import { runInTurns } from '../../core/steps.ts';
import { firstVersion } from '../../store/content-version.ts';
import { packChangesInSteps } from '../previews/preview-changes.ts';
import type { ContentsFolder } from './contents-folder.ts';
import type { PreviewSource, PutContent } from './put-content.ts';

/** What is put: a snapshot by its path below the folder or as bytes that are being sent, or changes to another content. */
export type PutSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'body'; readonly body: Readable }
  | { readonly kind: 'preview'; readonly preview: Omit<PreviewSource, 'epoch'>; readonly changes: unknown };

/** Keeps what is put in the folder, and returns where. Rejects with a RequestError or a system error. */
export async function receive(
  folder: ContentsFolder,
  name: string,
  source: PutSource,
  maxBytes: number,
): Promise<Pick<PutContent, 'snapshot' | 'isUploaded' | 'preview'>> {
  switch (source.kind) {
    case 'path':
      return { snapshot: source.path, isUploaded: false };
    case 'body':
      return { snapshot: await folder.receive(name, source.body, maxBytes), isUploaded: true };
    case 'preview': {
      const lists = source.changes === undefined ? [] : [source.changes];
      const snapshot = await folder.addChanges(name, await runInTurns(packChangesInSteps(lists)));
      return { snapshot, isUploaded: true, preview: { ...source.preview, epoch: firstVersion().epoch } };
    }
  }
}
