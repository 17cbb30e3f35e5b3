import { messageOf, SourceAwayError } from '../core/errors.ts';
import { FittingComponents } from '../load/project/project-content.ts';
import type { ProjectInput } from '../load/project/project-files.ts';
import { type OpenedPublication, openPublication } from '../publication/open-publication.ts';
import { createProjectInput } from './project/project-input.ts';
import { ProjectReader } from './project/project-reader.ts';
import { secretsOfEnvironment } from './project/typed-database.ts';
import { PublicationReader } from './publication/publication-reader.ts';
import { RestReader } from './rest/rest-reader.ts';
import type { OnAccess, OnUnchanged, OnWarning, PublicationSource, Source, SourceReader } from './source-reader.ts';

/** Shared by the readers that a thread makes of its source, one after the other. */
const components = new FittingComponents();
let input: ProjectInput | undefined;
let opened: OpenedPublication | undefined;

/** Creates the reader of a source, in the thread that reads it. Rejects with a SourceAwayError. */
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

/** The address was checked at the start, so that whatever fails may be mended. */
async function openSource(source: PublicationSource, onWarning: OnWarning): Promise<OpenedPublication> {
  try {
    return await openPublication(source, process.env, onWarning);
  } catch (error) {
    throw new SourceAwayError([messageOf(error)]);
  }
}
