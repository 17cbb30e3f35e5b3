import { FittingComponents } from '../load/project/project-content.ts';
import type { ProjectInput } from '../load/project/project-files.ts';
import type { OpenedPublication } from '../publication/open-publication.ts';
import { createProjectInput } from './project/project-input.ts';
import { ProjectReader } from './project/project-reader.ts';
import { secretsOfEnvironment } from './project/typed-database.ts';
import { openSource } from './publication/open-source.ts';
import { PublicationReader } from './publication/publication-reader.ts';
import { RestReader } from './rest/rest-reader.ts';
import type { OnAccess, OnUnchanged, OnWarning, Source, SourceReader } from './source-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let input: ProjectInput | undefined;
let opened: OpenedPublication | undefined;

/** Creates the reader of a source, in the thread that reads it. Rejects as `openSource` does. */
export async function createReader(
  source: Source,
  onUnchanged: OnUnchanged,
  onAccess: OnAccess,
  onWarning: OnWarning,
): Promise<SourceReader> {
  if (source.kind === 'rest') return new RestReader(source, onUnchanged);
  if (source.kind === 'publication') {
    opened ??= await openSource(source, onWarning);
    const secrets = secretsOfEnvironment(process.env);
    return new PublicationReader(source, { publication: opened.publication, onUnchanged, onWarning, secrets });
  }
  input ??= createProjectInput(source);
  return new ProjectReader(source, onUnchanged, components, onAccess, input);
}
