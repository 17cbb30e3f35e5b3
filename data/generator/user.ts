/** Readers with an account. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, iso, LAST_DAY } from './dates.ts';
import { person } from './names.ts';
import { Random } from './random.ts';
import { slugify } from './text.ts';

export function userId(index: number): string {
  return `user-${index + 1}`;
}

/** The definition adds to the type that is always there. */
export const user: ContentType = {
  singularName: 'user',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    uid: 'plugin::users-permissions.user',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: {
      newsletter: { type: 'boolean' },
      author: { type: 'relation', relation: 'oneToOne', target: 'api::author.author', inversedBy: 'account' },
      favourites: { type: 'relation', relation: 'manyToMany', target: 'api::category.category' },
      bookmarks: { type: 'relation', relation: 'oneToMany', target: 'api::bookmark.bookmark', mappedBy: 'owner' },
    },
  },
  *entries(world) {
    for (let index = 0; index < world.plan.users; index++) {
      const random = new Random(world.seed, 'user', index);
      const created = LAST_DAY - random.integer(1, 3000) * DAY;
      // every third reader also writes
      const own = index % 3 === 0 ? world.authors[index] : null;
      const name = slugify(own?.name ?? person(random).full).replaceAll('-', '.');
      yield {
        id: index + 1,
        documentId: userId(index),
        createdAt: iso(created),
        updatedAt: iso(created + random.integer(0, 1) * DAY),
        publishedAt: iso(created),
        username: `${name}.${index + 1}`,
        email: `${name}.${index + 1}@readers.example`,
        provider: 'local',
        confirmed: index % 7 !== 6,
        blocked: index % 11 === 10,
        role: index === 0 ? 'editor' : 'authenticated',
        newsletter: index % 5 === 4 ? null : random.chance(0.5),
        author: own?.documentId ?? null,
        favourites: random.sample(world.categories, random.integer(0, 4)).map((category) => category.documentId),
      };
    }
  },
};
