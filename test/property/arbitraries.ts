import fc from 'fast-check';
import type { Database, Dialect, Feature, Request, Snapshot } from '../naive/snapshot.ts';
import { fillContent } from './content.ts';
import { randomRequest } from './queries.ts';
import { QueryContext } from './query-context.ts';
import { Random } from './random.ts';
import { randomSchema } from './schema.ts';
import { smallerCases } from './smaller.ts';

/** A snapshot and its requests. */
export interface Case {
  snapshot: Snapshot;
  dialect: Dialect;
  database?: Database;
  features?: readonly Feature[];
  requests: Request[];
  /** A reduced form of another case. It is skipped if the snapshot is invalid. */
  shrunk?: true;
}

export interface CaseOptions {
  dialect: Dialect;
  /** Default: postgres. */
  database?: Database;
  /** Those that are switched on, and asked for. Default: none. */
  features?: readonly Feature[];
  requests: number;
  /** Whether half of the requests have a role of the snapshot. */
  withRoles: boolean;
}

/** Random schema, content, roles and requests. Shrinks by omitting parts. */
export function cases(options: CaseOptions): fc.Arbitrary<Case> {
  return new CaseArbitrary(options);
}

class CaseArbitrary extends fc.Arbitrary<Case> {
  readonly #options: CaseOptions;

  constructor(options: CaseOptions) {
    super();
    this.#options = options;
  }

  override generate(source: fc.Random): fc.Value<Case> {
    const { dialect, database, features, requests, withRoles } = this.#options;
    const random = new Random(source);
    const snapshot = randomSchema(random);
    fillContent(random, snapshot, features?.includes('languageAware'));
    const context = new QueryContext(random, snapshot, dialect, features);
    const roles = withRoles ? snapshot.roles! : [];
    const drawn = Array.from({ length: requests }, () => randomRequest(context, roles));
    return new fc.Value<Case>({ snapshot, dialect, database, features, requests: drawn }, undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is Case {
    return false;
  }

  override shrink(value: Case): fc.Stream<fc.Value<Case>> {
    return fc.stream(smallerCases(value)).map((smaller) => new fc.Value<Case>(smaller, undefined));
  }
}
