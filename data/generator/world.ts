/** What entries of different types must agree on: who and what there is, and by which documentId it is called. */
import { type Issue, issues } from './calendar.ts';
import { CITIES, type City } from './cities.ts';
import { person } from './names.ts';
import { ARTICLE_ROWS, articleRows, type Plan, plan } from './plan.ts';
import { Random } from './random.ts';
import { type Category, categories } from './sections.ts';
import { Slugs, words } from './text.ts';
import { KINDS, type Kind } from './tongue.ts';
import { TOPICS } from './topics.ts';
import { venueName } from './venues.ts';

export interface Author {
  documentId: string;
  name: string;
  city: City;
  /** Index of the team, or null. */
  team: number | null;
}

export interface Team {
  documentId: string;
  name: string;
  city: City;
}

export interface Place {
  documentId: string;
  name: string;
  kind: string;
  city: City;
  statuses: ('published' | 'draft')[];
}

export interface World {
  seed: number;
  plan: Plan;
  authors: Author[];
  teams: Team[];
  categories: Category[];
  /** By topic: its categories, the plain one first; none if the tree is too small for the topic. */
  categoriesOfTopic: Category[][];
  issues: Issue[];
  places: Place[];
  /** Row bits (see ARTICLE_ROWS) of each article document. */
  articles: Uint8Array;
}

const TEAM_NOUNS = words(`
  Lamplighters, Night Owls, Ferrymen, Almanacs, Second Cups, Semicolons, Tide Tables, Brass Buttons
  Marginals, Early Editions, Footnotes, Paper Boats, Kettles, Compass Roses, Last Trams, Inkwells
`);

export function world(seed: number, entries: number): World {
  const counts = plan(entries);
  const tree = categories(counts.categories);
  return {
    seed,
    plan: counts,
    teams: teams(counts.teams),
    authors: authors(seed, counts),
    categories: tree,
    categoriesOfTopic: TOPICS.map((_, topic) => tree.filter((category) => category.topic === topic)),
    issues: issues(counts.issues),
    places: places(seed, counts.placeRows),
    articles: articleRows(seed, counts.articleRows),
  };
}

function teams(count: number): Team[] {
  const slugs = new Slugs();
  return Array.from({ length: count }, (_, index) => {
    // each round through the cities begins one noun later, so that names repeat only after all pairs
    const round = Math.floor(index / CITIES.length);
    const city = CITIES[(index * 7) % CITIES.length];
    const name = `${city.name.en} ${TEAM_NOUNS[(index + round) % TEAM_NOUNS.length]}`;
    return { documentId: slugs.take(name), name, city };
  });
}

function authors(seed: number, counts: Plan): Author[] {
  const slugs = new Slugs();
  return Array.from({ length: counts.authors }, (_, index) => {
    const random = new Random(seed, 'author name', index);
    const city = random.pick(CITIES);
    const name = person(random, city.culture).full;
    const team = random.maybe(0.93, () => random.integer(0, counts.teams - 1));
    return { documentId: slugs.take(name), name, city, team };
  });
}

function places(seed: number, rows: number): Place[] {
  const slugs = new Slugs();
  const found: Place[] = [];
  for (let left = rows; left > 0; ) {
    const random = new Random(seed, 'place name', found.length);
    const city = random.pick(CITIES);
    const { name, kind } = venueName(random, city);
    const fate = random.next();
    const statuses: Place['statuses'] =
      fate < 0.07 ? ['draft'] : fate < 0.22 && left > 1 ? ['published', 'draft'] : ['published'];
    found.push({ documentId: slugs.take(name), name, kind, city, statuses });
    left -= statuses.length;
  }
  return found;
}

export function articleId(index: number): string {
  return `article-${index + 1}`;
}

export function fileId(index: number): string {
  return `picture-${index + 1}`;
}

/** Kind and issue of an article are known without writing it: other entries choose articles by them. */
export function articleKind(world: World, index: number): Kind {
  return new Random(world.seed, 'article kind', index).pick(KINDS);
}

/** The index of the issue that carries the article; null for the web edition. */
export function articleIssue(world: World, index: number): number | null {
  const random = new Random(world.seed, 'article issue', index);
  return random.maybe(0.8, () => random.integer(0, world.issues.length - 1));
}

/** The documentId of a random article with an English published row. */
export function anyArticle(world: World, random: Random): string {
  for (;;) {
    const index = random.integer(0, world.articles.length - 1);
    if (world.articles[index] & ARTICLE_ROWS[0].bit) return articleId(index);
  }
}

export function anyFile(world: World, random: Random): string {
  return fileId(random.integer(0, world.plan.files - 1));
}

/** The documentId of a popular author. */
export function anyAuthor(world: World, random: Random): string {
  return world.authors[random.popular(world.authors.length)].documentId;
}

export function anyPlace(world: World, random: Random): string {
  return random.pick(world.places).documentId;
}
