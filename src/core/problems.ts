import { SnapshotError, SourceAwayError } from './errors.ts';

/** Maximum number of problems in the message of an error. The others are counted. */
export const maxListedProblems = 20;
/** Maximum number of characters of a problem. Names in it may be as long as the JSON that has them. */
const maxProblemLength = 2000;
/** Maximum number of locations in a warning. Exposed attributes get more, because each needs attention. */
const maxListedLocations = (kind: ToleratedKind) => (kind === 'ineffective-privacy' ? 100 : 3);

export const tolerances = ['strict', 'tolerant'] as const;

/** Whether content with mistakes that Strapi accepts is loaded (`tolerant`) or rejected (`strict`). */
export type Tolerance = (typeof tolerances)[number];

/** Mistakes that Strapi accepts, by kind. The text says how they are served. */
const tolerated = {
  'dangling-link': 'Links to entries that do not exist are left out',
  'foreign-link': 'Links of unknown attributes and types are left out',
  'foreign-file': 'Files that do not belong to a snapshot are ignored',
  'missing-files': 'Parts of the export are missing',
  'missing-type': 'Attributes with a missing target type are left out',
  'entry-without-type': 'Entries of unknown types are left out',
  'entry-without-document-id': 'Entries without a documentId are served with "documentId": null',
  'unknown-key': 'Keys that are not attributes are ignored',
  'unknown-attribute-type': 'Attributes of an unknown type are served unchanged, as JSON',
  'ineffective-privacy': 'Attributes that look private, but are public in Strapi, are served',
  'wrong-definition': 'Invalid definitions are read as Strapi reads them',
  'wrong-value': 'Values that do not match their attribute type are served as Strapi serves them',
  'wrong-component': 'Components that their attribute does not accept are left out',
  'wrong-permission': 'Permissions for unknown types and actions are ignored',
  'unconnected-relation': 'Relations without a matching inverse are left out of replies',
  'relation-cardinality': 'Relations whose two sides disagree are served as each side defines them',
  'several-owners': 'One-to-one relations with several owners of one target show the first owner',
  'several-documents': 'Single types with several documents show the first document',
} as const;

type ToleratedKind = keyof typeof tolerated;

/**
 * Tolerated mistakes, settings without effect, missing uploaded files, an image of another dialect, unread secrets,
 * components that do not fit a database, tables of one that may not be read, collations that are answered by others, what an
 * API does not show, and what a replica lacks.
 */
type WarningKind =
  | ToleratedKind
  | 'wrong-setting'
  | 'uploads'
  | 'other-dialect'
  | 'unread-secret'
  | 'unread-setting'
  | 'old-components'
  | 'withheld-table'
  | 'other-collation'
  | 'not-pulled'
  | 'missing-on-replica';

/** Of tolerated mistakes, there is one warning for each kind. Its message holds the count and the first locations. */
export interface SnapshotWarning {
  readonly kind: WarningKind;
  readonly count: number;
  readonly message: string;
}

/**
 * Collects the problems of a snapshot. Errors always reject it. Mistakes that Strapi accepts reject it in a strict load
 * and become warnings in a tolerant load.
 */
export class Problems {
  readonly tolerance: Tolerance;
  readonly #subject: 'snapshot' | 'batch' | undefined;
  readonly #listed: string[] = [];
  #count = 0;
  readonly #tolerated = new Map<ToleratedKind, { count: number; locations: string[] }>();

  /** `subject` has the problems, in the message of the error. */
  constructor(tolerance: Tolerance = 'strict', subject?: 'snapshot' | 'batch') {
    this.tolerance = tolerance;
    this.#subject = subject;
  }

  /**
   * Adds an error. `location` names the file, entry and attribute, as far as they apply. Two checks may find one
   * mistake, so an error that is already listed is not added again. Calls a function `message` only if the error may be
   * listed.
   */
  add(location: string, message: string | (() => string)): void {
    const isListed = this.#listed.length < maxListedProblems;
    const text = isListed ? formatProblem(location, typeof message === 'string' ? message : message()) : '';
    if (isListed && this.#listed.includes(text)) return;
    this.#count++;
    if (isListed) this.#listed.push(text);
  }

  /**
   * Adds a mistake that Strapi accepts: an error if the load is strict, a warning otherwise. Calls a function `message`
   * only if the location is listed.
   */
  tolerate(kind: ToleratedKind, location: string, message: string | (() => string)): void {
    if (this.tolerance === 'strict') return this.add(location, message);
    let group = this.#tolerated.get(kind);
    if (!group) {
      group = { count: 0, locations: [] };
      this.#tolerated.set(kind, group);
    }
    group.count++;
    if (group.locations.length >= maxListedLocations(kind)) return;
    group.locations.push(formatProblem(location, typeof message === 'string' ? message : message()));
  }

  /** Number of errors. */
  get count(): number {
    return this.#count;
  }

  /** Tolerated mistakes, one warning for each kind. */
  get warnings(): SnapshotWarning[] {
    return Array.from(this.#tolerated, ([kind, { count, locations }]) => {
      const more = count > locations.length ? '; …' : '';
      const times = count > 1 ? ` (${formatNumber(count)} times)` : '';
      return { kind, count, message: `${tolerated[kind]}${times}: ${locations.join('; ')}${more}` };
    });
  }

  /** Throws a SnapshotError if there are problems: a SourceAwayError if `mayPass`, because a source may mend them. */
  throwIfAny({ mayPass = false } = {}): void {
    if (this.#count === 0) return;
    if (mayPass) throw new SourceAwayError(this.#listed, this.#count, this.#subject);
    throw new SnapshotError(this.#listed, this.#count, this.#subject);
  }
}

function formatProblem(location: string, message: string): string {
  const text = location ? `${location}: ${message}` : message;
  return text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text;
}

export function warning(kind: WarningKind, message: string): SnapshotWarning {
  return { kind, count: 1, message };
}

/** Maximum number of characters of a value in a message. */
const shownCharacters = 80;

/**
 * Returns a value as JSON for a message, truncated to 80 characters. Reads no more of the value than these, but the
 * engine lists all keys of each object in them, and there are at most 21.
 */
export function preview(value: unknown): string {
  const text = JSON.stringify(excerptOf(value, { characters: shownCharacters })) ?? String(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters - 3)}...` : text;
}

/**
 * Returns a value without what its JSON has after the first 80 characters. `left` holds how many of them are still to be
 * found, if every value and key takes the fewest characters that it may.
 */
function excerptOf(value: unknown, left: { characters: number }): unknown {
  left.characters--;
  if (typeof value === 'string') {
    left.characters -= value.length;
    return value.slice(0, shownCharacters + 1);
  }
  if (typeof value !== 'object' || value === null || isFunction((value as { toJSON?: unknown }).toJSON)) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let i = 0; i < value.length && left.characters > 0; i++) items.push(excerptOf(value[i], left));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key in value) {
    if (left.characters <= 0) break;
    if (!Object.hasOwn(value, key)) continue;
    // two quotes and a colon
    left.characters -= key.length + 3;
    const shown = key.slice(0, shownCharacters + 1);
    members.push([shown, excerptOf((value as Record<string, unknown>)[key], left)]);
  }
  return Object.fromEntries(members);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Returns a number for a message, with commas between thousands. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
