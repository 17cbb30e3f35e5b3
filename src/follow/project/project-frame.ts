import type { DatabaseContent } from '../../load/database/database-content.ts';
import type { LoadedAccess } from '../../load/loaded.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import { userSetting } from '../../load/strapi/strapi-content.ts';
import { shortDigest } from '../../store/writer/rows/row-digest.ts';

/** By what it is of: digests of what a batch cannot change. */
export type ProjectFrame = ReadonlyMap<string, number>;

/** By the list that a copy with the same schema shares. */
const digestsOfTypes = new WeakMap<object, number>();

/** Returns the digests of a project, without what identifies callers. */
export async function frameOf(content: DatabaseContent, project: StrapiProject): Promise<ProjectFrame> {
  const { components: _, warnings: __, secrets: ___, ...settings } = project;
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

/** Returns the digests of what identifies callers. The time at which a token was last used is not among it. */
export function accessFrameOf({ apiTokens, secrets, emailConfirmation }: LoadedAccess): ProjectFrame {
  return digestsOf({
    'the API tokens': apiTokens,
    'the secrets': secrets,
    'the settings of users': emailConfirmation,
  });
}

function digestsOf(parts: Readonly<Record<string, unknown>>): ProjectFrame {
  return new Map(Object.entries(parts).map(([name, part]) => [name, shortDigest(JSON.stringify(part))]));
}

/** Returns a clause for the log that says what differs; null if nothing does. */
export function frameDifference(before: ProjectFrame, after: ProjectFrame): string | null {
  const names = [...after].flatMap(([name, digest]) => (before.get(name) === digest ? [] : [name]));
  return names.length === 0 ? null : `${names.join(' and ')} have changed`;
}
