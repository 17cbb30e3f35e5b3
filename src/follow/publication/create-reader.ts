import type { OpenedPublication } from '../../publication/open-publication.ts';
import { secretsOfEnvironment } from '../environment-secrets.ts';
import type { OnAccess, OnUnchanged, OnWarning, PublicationSource, SourceReader } from '../source-reader.ts';
import { openSource } from './open-source.ts';
import { PublicationReader } from './publication-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
let opened: OpenedPublication | undefined;

/** Creates the reader of a publication, in the thread that reads it. Rejects as `openSource` does. */
export async function createReader(
  source: PublicationSource,
  onUnchanged: OnUnchanged,
  _onAccess: OnAccess,
  onWarning: OnWarning,
): Promise<SourceReader> {
  opened ??= await openSource(source, onWarning);
  const secrets = secretsOfEnvironment(process.env);
  return new PublicationReader(source, { publication: opened.publication, onUnchanged, onWarning, secrets });
}
