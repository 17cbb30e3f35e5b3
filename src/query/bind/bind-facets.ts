import { ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { type EntryType, isRelation, type ScalarAttribute } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Facet } from '../bound.ts';
import type { Binding, RouteContext } from '../policies.ts';
import { readFieldNames } from '../shared-readers.ts';
import { rootPart } from '../syntax/location.ts';
import type { FieldsNode } from '../syntax/parameter-nodes.ts';
import { parseSort } from '../syntax/sort-nodes.ts';
import { bindSort } from './bind-names.ts';

/**
 * Binds `facets`: dotted paths, which take what a sort takes. Throws for a path that no sort may name, for JSON and blocks,
 * and on routes without a `meta` for them.
 */
export function bindFacets(binding: Binding, route: RouteContext, node: FieldsNode | null): readonly Facet[] {
  if (node === null) return [];
  if (!binding.countsFacets) {
    if (binding.policies.request.ignoresUnknownParameters) return [];
    throw wrong('facets', 'the parameter is switched off by the setting facets');
  }
  if (!route.hasFacets) throw wrong('facets', 'only lists in pages have facets');
  const read = readFieldNames(node.items);
  if (read === null) throw wrong(JSON.stringify(node.raw), 'expected paths such as facets[0]=author.name');
  if (read.hasStar) throw wrong('*', 'expected the paths of attributes');
  return [...new Set(read.names)].map((name) => bindFacet(binding, route.type, name));
}

function bindFacet(binding: Binding, type: EntryType, name: string): Facet {
  if (name === '' || name.includes(':')) throw wrong(name, 'expected the path of an attribute');
  const keys = bindSort(binding, type, parseSort(name), rootPart('facets'));
  const attribute = keys.length === 1 ? attributeAt(binding, type, name.split('.')) : null;
  if (!attribute) throw wrong(name, 'expected the path of an attribute');
  if (comparisonKindOf(attribute.type) === 'presence') throw wrong(name, `values of ${attribute.type} are not counted`);
  return { name, path: keys[0].path };
}

function attributeAt({ schema }: Binding, type: EntryType, names: readonly string[]): ScalarAttribute | null {
  let current = type;
  for (const name of names) {
    const attribute = current.attributes.get(name);
    if (attribute?.kind === 'scalar') return attribute;
    if (!attribute || !isRelation(attribute)) return null;
    current = schema.type(attribute.target);
  }
  return null;
}

function wrong(value: string, reason: string): ValidationError {
  const message = value === 'facets' ? `facets: ${reason}` : `facets: ${preview(value)}: ${reason}`;
  return new ValidationError(message, { source: 'query', param: 'facets', value });
}
