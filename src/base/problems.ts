import { SnapshotError } from './errors.ts';

/** How many problems a refusal lists. */
const listedProblems = 20;
/** How many places a warning names: more of those that each lay an attribute open. */
const listedPlaces = (kind: ToleratedKind) => (kind === 'ineffective-privacy' ? 100 : 3);

export const tolerances = ['strict', 'tolerant'] as const;

/** Whether content that Strapi would serve all the same, although something is wrong with it, is loaded. */
export type Tolerance = (typeof tolerances)[number];

/** What Strapi tolerates, by kind, with what is then served. */
const tolerated = {
  'dangling-link': 'Links to entries that do not exist are left out',
  'foreign-link': 'Links of attributes and types that do not exist are left out',
  'foreign-file': 'Files that are no part of a snapshot are ignored',
  'missing-files': 'Parts of the export are missing',
  'missing-type': 'Attributes that lead to a missing type are left out',
  'entry-without-type': 'Entries of types that do not exist are left out',
  'entry-without-document-id': 'Entries without a documentId are served with null',
  'unknown-key': 'Keys that name no attribute are ignored',
  'unknown-attribute-type': 'Attributes of an unknown type are served as they stand, as JSON',
  'ineffective-privacy': 'Attributes that seem meant to be private are served, as Strapi serves them',
  'wrong-definition': 'Definitions that Strapi ignores or repairs are read as Strapi reads them',
  'wrong-value': 'Values that do not fit their attribute are served as Strapi would serve them',
  'wrong-component': 'Components that their attribute cannot hold are left out',
  'wrong-permission': 'Permissions for what does not exist are ignored',
  'unconnected-relation': 'Relations whose other side does not lead back are left out of replies',
  'relation-cardinality': 'Relations whose two sides disagree are served from each side as it is defined',
  'several-owners': 'One-to-one relations that connect several entries to the same one show the first from there',
  'several-documents': 'Single types with several documents show the first',
} as const;

export type ToleratedKind = keyof typeof tolerated;

/** What was tolerated for one reason. `message` says how often, and names the first places. */
export interface SnapshotWarning {
  readonly kind: string;
  readonly count: number;
  readonly message: string;
}

/**
 * Collects what is wrong with a snapshot. Errors refuse it. What Strapi tolerates refuses it where the load is strict,
 * and is a warning where the load is tolerant.
 */
export class Problems {
  readonly tolerance: Tolerance;
  readonly #listed: string[] = [];
  #count = 0;
  readonly #tolerated = new Map<ToleratedKind, { count: number; places: string[] }>();

  constructor(tolerance: Tolerance = 'strict') {
    this.tolerance = tolerance;
  }

  /** Notes an error. `where` names file, entry and attribute, as far as they apply. */
  add(where: string, what: string): void {
    this.#count++;
    if (this.#listed.length < listedProblems) this.#listed.push(inWords(where, what));
  }

  /**
   * Notes what Strapi tolerates. The caller goes on with what Strapi serves. Where `what` is a function, it is called
   * only if the place is listed.
   */
  tolerate(kind: ToleratedKind, where: string, what: string | (() => string)): void {
    const text = () => (typeof what === 'string' ? what : what());
    if (this.tolerance === 'strict') {
      this.add(where, this.#listed.length < listedProblems ? text() : '');
      return;
    }
    let group = this.#tolerated.get(kind);
    if (!group) {
      group = { count: 0, places: [] };
      this.#tolerated.set(kind, group);
    }
    group.count++;
    if (group.places.length < listedPlaces(kind)) group.places.push(inWords(where, text()));
  }

  /** How many errors there are. */
  get count(): number {
    return this.#count;
  }

  /** What was tolerated, one warning for each kind. */
  get warnings(): SnapshotWarning[] {
    return Array.from(this.#tolerated, ([kind, { count, places }]) => {
      const more = count > places.length ? '; …' : '';
      const times = count > 1 ? ` (${count.toLocaleString('en-US')} times)` : '';
      return { kind, count, message: `${tolerated[kind]}${times}: ${places.join('; ')}${more}` };
    });
  }

  throwIfAny(): void {
    if (this.#count > 0) throw new SnapshotError(this.#listed, this.#count);
  }
}

function inWords(where: string, what: string): string {
  return where ? `${where}: ${what}` : what;
}

/** A value from a file in a message: short, and never a whole document. */
export function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
