/** What readers keep: one target of any type, and a shelf of mixed things. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, HOUR, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { userId } from './user.ts';
import { anyArticle, anyAuthor, anyPlace, type World } from './world.ts';

export const bookmark: ContentType = {
  singularName: 'bookmark',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'bookmark', pluralName: 'bookmarks', displayName: 'Bookmark' },
    options: { draftAndPublish: false },
    attributes: {
      label: { type: 'string', required: true },
      note: { type: 'text' },
      pinned: { type: 'boolean' },
      remindAt: { type: 'datetime' },
      target: { type: 'relation', relation: 'morphToOne' },
      shelf: { type: 'relation', relation: 'morphToMany' },
      owner: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'plugin::users-permissions.user',
        inversedBy: 'bookmarks',
      },
    },
  },
  *entries(world) {
    for (let index = 0; index < world.plan.bookmarks; index++) yield entry(world, index);
  },
};

interface Item {
  __type: string;
  documentId: string;
}

function entry(world: World, index: number): object {
  const random = new Random(world.seed, 'bookmark', index);
  const created = LAST_DAY - random.integer(1, 900) * DAY + random.integer(0, 23) * HOUR;
  return {
    id: index + 1,
    documentId: `bookmark-${index + 1}`,
    createdAt: iso(created),
    updatedAt: iso(Math.min(created + random.integer(0, 40) * DAY, LAST_DAY)),
    publishedAt: iso(created),
    label: random.pick(LABELS),
    note: random.maybe(0.4, () => random.pick(NOTES)),
    pinned: random.maybe(0.8, () => random.chance(0.2)),
    remindAt: random.maybe(0.3, () => iso(LAST_DAY + random.integer(1, 300) * DAY)),
    target: target(world, random, index),
    shelf: random.chance(0.7) ? shelf(world, random) : [],
    owner: random.maybe(0.9, () => userId(random.integer(0, world.plan.users - 1))),
  };
}

/** Every fourth bookmark stands on a place, each on another one: a place has one bookmark at most. */
function target(world: World, random: Random, index: number): Item | null {
  const at = Math.floor(index / 4);
  if (index % 4 === 3) {
    return at < world.places.length ? item('place', world.places[at].documentId) : null;
  }
  return random.maybe(0.9, () =>
    random.chance(0.8) ? item('article', anyArticle(world, random)) : item('author', anyAuthor(world, random)),
  );
}

function shelf(world: World, random: Random): Item[] {
  const makers = [
    () => item('article', anyArticle(world, random)),
    () => item('author', anyAuthor(world, random)),
    () => item('place', anyPlace(world, random)),
    () => item('category', random.pick(world.categories).documentId),
  ];
  const items = Array.from({ length: random.integer(1, 5) }, () => random.pick(makers)());
  return items.filter((one, at) => items.findIndex((other) => other.documentId === one.documentId) === at);
}

function item(type: string, documentId: string): Item {
  return { __type: `api::${type}.${type}`, documentId };
}

const LABELS = [
  'For the train',
  'Read again in winter',
  'Send to Mum ❤️',
  'Argue about this',
  'Next holiday',
  'Quote for the speech',
  '"Later"',
  'À relire',
];

const NOTES = [
  'Second half is better than the first.',
  'Ask at the desk whether there is a map.',
  'Page 41 \\ footnote 3',
  'Für Oma ausdrucken.',
];
