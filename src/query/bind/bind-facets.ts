import { ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Facet } from '../bound.ts';
import type { Binding, RouteContext } from '../policies.ts';
import { readFieldNames } from '../shared-readers.ts';
import { rootPart } from '../syntax/location.ts';
import type { FieldsNode } from '../syntax/parameter-nodes.ts';
import { textOf } from '../syntax/parse.ts';
import { parseSort } from '../syntax/sort-nodes.ts';
import { bindPath } from './bind-names.ts';

const param = 'facets';

/**
 * Binds `facets`: dotted paths, which take what a sort takes. Throws for a path that no sort may name, for JSON and blocks,
 * and on routes without a `meta` for them.
 */
export function bindFacets(binding: Binding, route: RouteContext, node: FieldsNode | null): readonly Facet[] {
  if (node === null) return [];
  if (!binding.countsFacets) {
    if (binding.policies.request.ignoresUnknownParameters) return [];
    throw wrong('the parameter is switched off by the setting facets');
  }
  if (!route.hasFacets) throw wrong('only lists in pages have facets');
  const read = readFieldNames(node.items);
  if (read === null) throw wrongPath(textOf(node.raw), 'expected paths such as facets[0]=author.name');
  if (read.hasStar) throw wrongPath('*', 'expected the paths of attributes');
  return [...new Set(read.names)].map((name) => bindFacet(binding, route.type, name));
}

function bindFacet(binding: Binding, type: EntryType, name: string): Facet {
  if (name === '' || name.includes(':')) throw wrongPath(name, 'expected the path of an attribute');
  binding.policies.request.checkSortNames(binding, type, parseSort(name), param);
  const { path, attribute } = bindPath(binding, type, { names: name.split('.') }, rootPart(param));
  if (comparisonKindOf(attribute.type) === 'presence') {
    throw wrongPath(name, `values of ${attribute.type} are not counted`);
  }
  return { name, path };
}

function wrongPath(path: string, reason: string): ValidationError {
  return new ValidationError(`${param}: ${preview(path)}: ${reason}`, { source: 'query', param, value: path });
}

function wrong(reason: string): ValidationError {
  return new ValidationError(`${param}: ${reason}`, { source: 'query', param });
}
