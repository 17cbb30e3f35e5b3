import { scalarOf } from '../naive/matches.ts';
import type { Attribute, Dialect, Feature, Snapshot } from '../naive/snapshot.ts';
import { attributeOf, FILE, isHidden, isScalar, servedNames, type Type } from '../naive/types.ts';
import { buildWorld, type Row, type World } from '../naive/world.ts';
import { operandValue, textLike } from './pools.ts';
import type { Random } from './random.ts';

/** The content that queries are drawn from. */
export class QueryContext {
  readonly random: Random;
  readonly dialect: Dialect;
  readonly world: World;
  /** All rows of each content type and component, by uid. */
  readonly #rows: Record<string, Row[]> = {};

  constructor(random: Random, snapshot: Snapshot, dialect: Dialect, features: readonly Feature[] = []) {
    this.random = random;
    this.dialect = dialect;
    this.world = buildWorld(snapshot, undefined, features);
    for (const rows of Object.values(this.world.rows)) for (const row of rows) this.#collect(row);
  }

  /** Whether the feature is on, and drawn. Without it nothing is drawn, so that the seeds of other cases stay. */
  uses(feature: Feature, percent: number): boolean {
    return this.world.features.has(feature) && this.random.chance(percent);
  }

  #collect(row: Row): void {
    const rows = (this.#rows[row.type.uid] ??= []);
    rows.push(row);
    for (const [name, attribute] of Object.entries(row.type.attributes)) {
      if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue;
      for (const part of row.related[name]!) this.#collect(part);
    }
  }

  /** An operand for a scalar attribute, usually a value of the content. */
  operand(type: Type, name: string): unknown {
    const values = (this.#rows[type.uid] ?? []).map((row) => scalarOf(row, name)).filter((value) => value !== null);
    return operandValue(this.random, attributeOf(type, name)!, values);
  }

  /** An operand for a text operator, similar to a text of the content. */
  textOperand(type: Type, name: string, operator: string): string {
    const isWhole = operator === '$eqi' || operator === '$nei';
    return textLike(this.random, String(this.operand(type, name)), !isWhole && this.random.chance(80));
  }

  /** Scalars that may be named, `id` and `documentId` included. */
  scalarNames(type: Type): string[] {
    return type.kind === 'component' ? ['id', ...servedNames(type)] : ['id', 'documentId', ...servedNames(type)];
  }

  /** Relations, components and media that a filter may visit. */
  visitableNames(type: Type): string[] {
    return Object.keys(type.attributes).filter((name) => {
      const attribute = type.attributes[name]!;
      if (isScalar(attribute) || isHidden(attribute) || attribute.type === 'dynamiczone') return false;
      if (attribute.type === 'media') return this.dialect === 'strapi';
      return !attribute.relation?.startsWith('morph');
    });
  }

  /** The type on the other side of a relation, component or media attribute. */
  targetOf(attribute: Attribute): Type {
    if (attribute.type === 'component') return this.world.components[attribute.component!]!;
    return this.world.types[attribute.type === 'media' ? FILE : attribute.target!]!;
  }
}
