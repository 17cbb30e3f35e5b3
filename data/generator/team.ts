/** The quiz and bowling teams of the contributors, in eight leagues. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, day, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { words } from './text.ts';
import { anyFile } from './world.ts';

export const LEAGUES = words('Harbour, Granite, Orchard, Aurora, Cobble, Meridian, Copper, Driftwood');

export const team: ContentType = {
  singularName: 'team',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'team', pluralName: 'teams', displayName: 'Team' },
    options: { draftAndPublish: false },
    attributes: {
      name: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'name', required: true },
      league: { type: 'string', required: true },
      city: { type: 'string' },
      chant: { type: 'text' },
      founded: { type: 'date' },
      points: { type: 'integer' },
      budget: { type: 'decimal', private: true },
      badge: { type: 'media', multiple: false, allowedTypes: ['images'] },
      lead: { type: 'relation', relation: 'oneToOne', target: 'api::author.author', inversedBy: 'leads' },
      members: { type: 'relation', relation: 'oneToMany', target: 'api::author.author', mappedBy: 'team' },
    },
  },
  *entries(world) {
    // the first author of a team leads it; every sixth team has no lead
    const leads = new Map<number, string>();
    for (const { team, documentId } of world.authors)
      if (team !== null && !leads.has(team)) leads.set(team, documentId);
    for (const [index, { documentId, name, city }] of world.teams.entries()) {
      const random = new Random(world.seed, 'team', index);
      const founded = LAST_DAY - random.integer(400, 7600) * DAY;
      // one attribute after the other is missing, so that each is null somewhere even in eight teams
      const missing = index % 8;
      yield {
        id: index + 1,
        documentId,
        createdAt: iso(founded),
        updatedAt: iso(founded + random.integer(0, 300) * DAY),
        publishedAt: iso(founded),
        name,
        slug: documentId,
        league: LEAGUES[index % LEAGUES.length],
        city: missing === 1 ? null : city.name.en,
        chant: missing === 2 ? null : random.pick(CHANTS),
        founded: missing === 3 ? null : day(founded),
        points: missing === 4 ? null : random.integer(0, 96),
        budget: missing === 5 ? null : random.integer(4000, 90_000) / 100,
        badge: missing === 6 ? null : anyFile(world, random),
        lead: index % 6 === 5 ? null : (leads.get(index) ?? null),
      };
    }
  },
};

const CHANTS = [
  'Light them up, light them up, put the kettle on!',
  'Who has the key? — We have the key! 🔑',
  'Semper paratus, mostly.',
  '¡Ánimo, ánimo, que llueve!',
  'Slow but "certain".',
];
