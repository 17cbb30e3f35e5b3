/** The printed issues. */
import { list } from './blocks.ts';
import type { Issue } from './calendar.ts';
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, day, HOUR, iso, LAST_DAY } from './dates.ts';
import { ARTICLE_ROWS } from './plan.ts';
import { Random } from './random.ts';
import { capitalise } from './text.ts';
import { anyAuthor, anyFile, articleId, articleIssue, type World } from './world.ts';

export const issue: ContentType = {
  singularName: 'issue',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'issue', pluralName: 'issues', displayName: 'Issue', description: 'A printed issue' },
    options: { draftAndPublish: false },
    attributes: {
      title: { type: 'string', required: true },
      number: { type: 'integer', required: true, unique: true },
      season: { type: 'enumeration', enum: ['spring', 'summer', 'autumn', 'winter'], required: true },
      theme: { type: 'string' },
      publishedOn: { type: 'date', required: true },
      price: { type: 'decimal' },
      pages: { type: 'integer' },
      weight: { type: 'float' },
      barcode: { type: 'biginteger', unique: true },
      printedAt: { type: 'timestamp' },
      soldOut: { type: 'boolean' },
      digitalKey: { type: 'password' },
      editorial: { type: 'blocks' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      editor: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      coverStory: { type: 'relation', relation: 'oneToOne', target: 'api::article.article' },
      places: { type: 'relation', relation: 'oneToMany', target: 'api::place.place' },
      articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'issue' },
    },
  },
  *entries(world) {
    const stories = coverStories(world);
    for (const [index, printed] of world.issues.entries()) yield entry(world, index, printed, stories[index]);
  },
};

function entry(world: World, index: number, printed: Issue, story: string | null): object {
  const random = new Random(world.seed, 'issue', index);
  const { documentId, number, season, year, theme, start } = printed;
  const created = start - 80 * DAY + random.integer(7, 18) * HOUR;
  return {
    id: index + 1,
    documentId,
    createdAt: iso(created),
    updatedAt: iso(Math.min(start + random.integer(1, 60) * DAY, LAST_DAY)),
    publishedAt: iso(start),
    title: `No. ${number}, ${capitalise(season)} ${year}: ${theme}`,
    number,
    season,
    theme: index % 11 === 10 ? null : theme,
    publishedOn: day(start),
    price: index % 9 === 8 ? null : (95 + Math.floor(number / 12) * 7) / 10,
    pages: index % 13 === 12 ? null : 96 + 4 * random.integer(0, 12),
    weight: index % 7 === 6 ? null : random.integer(2100, 4800) / 10,
    barcode: index % 12 === 11 ? null : 9_770_000_000_000 + number * 1_000_003,
    printedAt: index % 10 === 9 ? null : start - random.integer(5, 14) * DAY + random.integer(0, 86_399_999),
    soldOut: index % 8 === 7 ? null : random.chance(0.4),
    digitalKey: index % 6 === 5 ? null : `open-${random.integer(100_000, 999_999)}`,
    editorial: index % 14 === 13 ? null : editorial(random, printed),
    cover: index % 15 === 14 ? null : anyFile(world, random),
    editor: index % 16 === 15 ? null : anyAuthor(world, random),
    coverStory: story,
    // each place is in one issue at most; every third one in none
    places: world.places
      .filter((_, at) => at % 3 !== 2 && (at * 7) % world.issues.length === index)
      .slice(0, 12)
      .map((found) => found.documentId),
  };
}

/** The first article of each issue that is out in English; every tenth issue does without. */
function coverStories(world: World): (string | null)[] {
  const stories: (string | null)[] = world.issues.map(() => null);
  let missing = stories.length;
  for (let index = 0; index < world.articles.length && missing > 0; index++) {
    if (!(world.articles[index] & ARTICLE_ROWS[0].bit)) continue;
    const at = articleIssue(world, index);
    if (at === null || stories[at] !== null) continue;
    stories[at] = articleId(index);
    missing--;
  }
  return stories.map((story, at) => (at % 10 === 4 ? null : story));
}

function editorial(random: Random, { theme, season }: Issue): object[] {
  const opening = random.pick([
    `We began this issue with one word, “${theme}”, and a pot of tea. The tea is gone.`,
    `“${theme}” was meant to be a small section. It ate the issue.`,
    `Nobody at the desk could agree on the meaning of “${theme}”, which is how we knew that it would fill an issue.`,
  ]);
  return [
    { type: 'heading', level: 3, children: [{ type: 'text', text: `Dear reader, it is ${season}` }] },
    { type: 'paragraph', children: [{ type: 'text', text: opening }] },
    list(random.sample(['Read it slowly.', 'Lend it out.', 'Write in the margins.', 'Argue with page 41.'], 2)),
    { type: 'paragraph', children: [{ type: 'text', text: 'The editors', italic: true }] },
  ];
}
