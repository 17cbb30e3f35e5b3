/** Writes the snapshot of the magazine. The same seed and number of entries give the same bytes. */
import { article } from './article.ts';
import { author } from './author.ts';
import { bookmark } from './bookmark.ts';
import { category } from './category.ts';
import { COMPONENTS } from './components.ts';
import type { ContentType } from './content-type.ts';
import { file } from './file.ts';
import { homepage } from './homepage.ts';
import { invoice } from './invoice.ts';
import { issue } from './issue.ts';
import { place } from './place.ts';
import { ROLES, SETTINGS } from './roles.ts';
import { team } from './team.ts';
import { user } from './user.ts';
import { world } from './world.ts';
import { type Summary, writeFolder } from './write-folder.ts';

const CONTENT_TYPES: ContentType[] = [
  article,
  author,
  bookmark,
  category,
  file,
  homepage,
  invoice,
  issue,
  place,
  team,
  user,
];

export function writeSnapshot(folder: string, entries: number, seed: number): Summary {
  const content = world(seed, entries);
  const $schema = '../../../schemas/component.schema.json';
  const components = Object.entries(COMPONENTS).map(([uid, { info, attributes }]) => {
    return [uid, { $schema, info, attributes }];
  });
  return writeFolder(folder, {
    settings: SETTINGS,
    roles: ROLES,
    components: Object.fromEntries(components),
    types: CONTENT_TYPES.map((type) => ({ ...type, entries: type.entries(content) })),
  });
}
