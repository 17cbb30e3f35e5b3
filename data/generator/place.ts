/** The guide: places to eat, drink and sleep. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { clock, DAY, day, HOUR, iso, LAST_DAY } from './dates.ts';
import { distinct, Random } from './random.ts';
import { dishes, PLACE_KINDS, venueText } from './venues.ts';
import { anyAuthor, anyFile, type Place, type World } from './world.ts';

export const PRICE_RANGES = ['cheap', 'moderate', 'expensive', 'extravagant'];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

export const place: ContentType = {
  singularName: 'place',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'place', pluralName: 'places', displayName: 'Place', description: 'An entry of the guide' },
    options: { draftAndPublish: true },
    attributes: {
      name: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'name', required: true },
      kind: { type: 'enumeration', enum: PLACE_KINDS, required: true },
      priceRange: { type: 'enumeration', enum: PRICE_RANGES },
      city: { type: 'string', required: true },
      country: { type: 'string' },
      description: { type: 'richtext' },
      averageBill: { type: 'decimal', min: 0 },
      seats: { type: 'integer' },
      opened: { type: 'date' },
      lastOrders: { type: 'time' },
      inspectedAt: { type: 'datetime' },
      vegetarian: { type: 'boolean' },
      dishes: { type: 'array' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      photos: { type: 'media', multiple: true, allowedTypes: ['images'] },
      geo: { type: 'component', component: 'place.geo', repeatable: false },
      hours: { type: 'component', component: 'place.opening-hours', repeatable: true },
      critic: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      nearby: { type: 'relation', relation: 'manyToMany', target: 'api::place.place' },
      bookmark: { type: 'relation', relation: 'morphOne', target: 'api::bookmark.bookmark', morphBy: 'target' },
    },
  },
  *entries(world) {
    let id = 0;
    for (const [index, found] of world.places.entries()) {
      for (const status of found.statuses) yield { id: ++id, ...entry(world, index, found, status) };
    }
  },
};

function entry(world: World, index: number, found: Place, status: 'published' | 'draft'): object {
  const random = new Random(world.seed, `place ${status}`, index);
  const { city } = found;
  const created = LAST_DAY - random.integer(60, 4000) * DAY + random.integer(6, 20) * HOUR;
  return {
    documentId: found.documentId,
    status,
    createdAt: iso(created),
    updatedAt: iso(created + random.integer(1, 50) * DAY),
    publishedAt: status === 'draft' ? null : iso(created + 9 * HOUR),
    name: found.name,
    slug: found.documentId,
    kind: found.kind,
    priceRange: random.maybe(0.85, () => PRICE_RANGES[random.rank(4)]),
    city: city.name.en,
    country: random.maybe(0.9, () => city.country),
    description: random.maybe(0.9, () => venueText(random, city)),
    averageBill: random.maybe(0.75, () => random.integer(600, 9000) / 100),
    seats: random.maybe(0.7, () => random.integer(6, 140)),
    opened: random.maybe(0.6, () =>
      day(Date.UTC(random.integer(1899, 2025), random.integer(0, 11), random.integer(1, 28))),
    ),
    lastOrders: random.maybe(0.5, () => clock(random.integer(76, 94) * 15)),
    inspectedAt: random.maybe(0.6, () => iso(created - random.integer(1, 30) * DAY)),
    vegetarian: random.maybe(0.8, () => random.chance(0.4)),
    dishes: random.maybe(0.7, () => dishes(random)),
    cover: random.maybe(0.8, () => anyFile(world, random)),
    photos: random.chance(0.4) ? distinct(random.integer(1, 4), () => anyFile(world, random)) : [],
    geo: random.maybe(0.9, () => ({
      latitude: near(random, city.latitude),
      longitude: near(random, city.longitude),
      elevation: random.maybe(0.5, () => random.integer(0, 900)),
    })),
    hours: hours(random),
    critic: random.maybe(0.8, () => anyAuthor(world, random)),
    nearby: nearby(world, index),
  };
}

/** Within about three kilometres, five decimals. */
function near(random: Random, degrees: number): number {
  return Math.round((degrees + (random.next() - 0.5) * 0.05) * 100_000) / 100_000;
}

function hours(random: Random): object[] {
  if (random.chance(0.15)) return [];
  const opens = random.integer(26, 72) * 15;
  const rest = random.integer(0, 6);
  return WEEKDAYS.filter((_, at) => at !== rest && random.chance(0.8)).map((weekday) => ({
    weekday,
    opens: clock(opens),
    closes: random.maybe(0.9, () => clock(Math.min(opens + random.integer(12, 40) * 15, 1425))),
    note: random.maybe(0.1, () =>
      random.pick(['kitchen closed', 'with music 🎶', 'until the last guest', 'ask at no. 7']),
    ),
  }));
}

/** Up to three other places of the same city. */
function nearby(world: World, index: number): string[] {
  const { city } = world.places[index];
  const found: string[] = [];
  for (let at = index + 1; at < Math.min(world.places.length, index + 200) && found.length < 3; at++) {
    if (world.places[at].city === city) found.push(world.places[at].documentId);
  }
  return found;
}
