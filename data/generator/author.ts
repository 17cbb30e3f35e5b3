/** The people who write. A few of them write most. */
import { type ContentType, SCHEMAS, sparse } from './content-type.ts';
import { DAY, day, HOUR, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { fill, lines, slugify, words } from './text.ts';
import { TOPICS } from './topics.ts';
import { anyFile, type World } from './world.ts';

export const author: ContentType = {
  singularName: 'author',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
    options: { draftAndPublish: false },
    attributes: {
      name: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'name', required: true },
      stars: { type: 'integer', min: 0, max: 5 },
      motto: { type: 'string' },
      bio: { type: 'richtext' },
      born: { type: 'date' },
      email: { type: 'email', unique: true },
      phone: { type: 'string', private: true },
      joinedAt: { type: 'datetime' },
      languages: { type: 'json' },
      onStaff: { type: 'boolean' },
      portrait: { type: 'media', multiple: false, allowedTypes: ['images'] },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team', inversedBy: 'members' },
      leads: { type: 'relation', relation: 'oneToOne', target: 'api::team.team', mappedBy: 'lead' },
      mentor: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      account: {
        type: 'relation',
        relation: 'oneToOne',
        target: 'plugin::users-permissions.user',
        mappedBy: 'author',
      },
      articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
      shelves: { type: 'relation', relation: 'morphMany', target: 'api::bookmark.bookmark', morphBy: 'shelf' },
    },
  },
  *entries(world) {
    for (let index = 0; index < world.authors.length; index++) yield sparse(entry(world, index));
  },
};

function entry(world: World, index: number): object {
  const random = new Random(world.seed, 'author', index);
  const { documentId, name, city, team } = world.authors[index];
  const joined = LAST_DAY - random.integer(30, 7000) * DAY + random.integer(7, 18) * HOUR;
  const address = slugify(name);
  return {
    id: index + 1,
    documentId,
    createdAt: iso(joined),
    updatedAt: iso(Math.min(LAST_DAY, joined + random.integer(0, 900) * DAY)),
    publishedAt: iso(joined),
    name,
    slug: documentId,
    stars: random.maybe(0.92, () => random.integer(0, 5)),
    motto: random.maybe(0.5, () => random.pick(MOTTOES)),
    bio: random.maybe(0.8, () =>
      random
        .sample(BIOS, random.integer(1, 3))
        .sort((one, other) => BIOS.indexOf(one) - BIOS.indexOf(other))
        .map((template) =>
          fill(template, (slot) => {
            if (slot === 'name') return name;
            if (slot === 'city') return city.name.en;
            if (slot === 'topic') return random.pick(TOPICS).en;
            if (slot === 'year') return String(new Date(joined).getUTCFullYear());
            return random.pick(THINGS);
          }),
        )
        .join(' '),
    ),
    born: random.maybe(0.7, () =>
      day(Date.UTC(random.integer(1944, 2001), random.integer(0, 11), random.integer(1, 28))),
    ),
    email: random.maybe(0.8, () => `${address}${documentId === address ? '' : index + 1}@lantern.example`),
    phone: random.maybe(0.4, () => `+00 555 01${random.integer(10, 99)}`),
    joinedAt: random.maybe(0.9, () => iso(joined)),
    languages: random.maybe(0.6, () =>
      random.sample(['en', 'fr', 'de', 'pt', 'ja', 'tr', 'pl', 'ar'], random.integer(1, 4)),
    ),
    onStaff: random.maybe(0.9, () => random.chance(0.3)),
    portrait: random.maybe(0.75, () => anyFile(world, random)),
    links: links(random, address),
    team: team === null ? null : world.teams[team].documentId,
    mentor: random.maybe(index === 0 ? 0 : 0.45, () => world.authors[random.rank(index)].documentId),
  };
}

function links(random: Random, address: string): object[] {
  if (random.chance(0.6)) return [];
  const all = [
    { label: 'Website', url: `https://${address}.example`, external: true },
    { label: 'Archive', url: `/archive?by=${address}`, external: false },
    { label: 'Radio 📻', url: 'https://radio.lantern.example', external: null },
  ];
  return all.slice(0, random.integer(1, 3));
}

// proverbs, in scripts that a reader may expect
const MOTTOES = lines(`
  Festina lente
  七転び八起き
  Тише едешь — дальше будешь
  الصبر مفتاح الفرج
  Petit à petit, l’oiseau fait son nid 🪺
  Damlaya damlaya göl olur
  ნელა იჩქარე
  "Measure twice", said the carpenter
  Ende gut, alles gut \\\\o/
  Σπεῦδε βραδέως
  जहाँ चाह वहाँ राह
  千里之行，始於足下
`);

const BIOS = lines(`
  {name} has written about {topic} since {year}, mostly by hand.
  Lives in {city} with {thing} and a view of the harbour, if you lean out.
  Trained as a surveyor, and still paces out every room.
  Is at work on a *very* short book about {topic}.
  Came to the magazine to complain about a map, and stayed to draw the next one.
  Writes from {city}, usually late and **always** by night train.
  Owns {thing}, and will not say why.
  Once won a prize for {topic}, and keeps {thing} in it.
`);

const THINGS = words('a kettle, an accordion, a borrowed dog, a lighthouse lamp, a broken barometer, a tortoise');
