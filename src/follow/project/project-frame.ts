import type { Batch } from '../../changes/batch/batch.ts';
import type { DatabaseContent } from '../../load/database/database-content.ts';
import { nameOfLocation } from '../../load/database/location.ts';
import type { LoadedAccess } from '../../load/loaded.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import { userSetting } from '../../load/strapi/strapi-content.ts';
import { shortDigest } from '../../store/writer/rows/row-digest.ts';
import type { DatabaseDigests } from './compare-database.ts';

/** Digests of what a batch cannot change, by a noun phrase for the log. */
type ProjectFrame = ReadonlyMap<string, number>;

/** By the list of types, which states with the same schema share. */
const digestsOfTypes = new WeakMap<object, number>();

/** Returns the digests of a project, without tokens and secrets. */
export async function frameOf(content: DatabaseContent, project: StrapiProject): Promise<ProjectFrame> {
  const { components: _, warnings: __, secrets: ___, configurations: ____, database, ...rest } = project;
  // a password may change while the content stays
  const settings = { ...rest, database: nameOfLocation(database) };
  const configuration: unknown[] = [];
  await content.each('configuration', ({ value }) => {
    if ((value as { key: string }).key !== userSetting) configuration.push(value);
  });
  const { types } = content;
  const ofTypes = digestsOfTypes.get(types) ?? shortDigest(JSON.stringify(types));
  digestsOfTypes.set(types, ofTypes);
  return new Map([
    ['the content types', ofTypes],
    ...digestsOf({ 'the settings in the database': configuration, 'the settings of the project': settings }),
  ]);
}

/** Returns the digests of tokens, secrets and settings of users. Leaves out when a token was last used. */
export function accessFrameOf({ apiTokens, secrets, emailConfirmation }: LoadedAccess): ProjectFrame {
  return digestsOf({
    'the API tokens': apiTokens,
    'the secrets': secrets,
    'the settings of users': emailConfirmation,
  });
}

function digestsOf(parts: Readonly<Record<string, unknown>>): ProjectFrame {
  return new Map(Object.entries(parts).map(([name, part]) => [name, shortDigest(JSON.stringify(part ?? null))]));
}

/** Returns a clause for the log that says what differs; null if nothing does. */
export function frameDifference(before: ProjectFrame, after: ProjectFrame): string | null {
  const names = [...after].flatMap(([name, digest]) => (before.get(name) === digest ? [] : [name]));
  return names.length === 0 ? null : `${names.join(' and ')} have changed`;
}

/** The state of the project in the last result of the reader. */
export interface KnownProject {
  readonly project: StrapiProject;
  readonly access: LoadedAccess;
  readonly frame: ProjectFrame;
  readonly digests: DatabaseDigests;
  /** The mark of the database at the last comparison. */
  readonly mark: string;
}

/** What a comparison found besides the batch. */
export interface Findings {
  readonly problem: string | null;
  readonly reason: string | null;
  readonly readAt: number;
}

export function isEmpty({ entities, links }: Batch): boolean {
  return entities.length === 0 && links.length === 0;
}
