/** Filters on the components of a dynamic zone: `filters[zone][on][block.quote][text]=x`. */
import { ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import type { EntryType, PolymorphicAttribute } from '../../model/schema/schema.ts';
import type { Binding } from '../policies.ts';
import type { AttributeNode, FilterNode } from '../syntax/filter-nodes.ts';
import { childPath, type Part } from '../syntax/location.ts';

/** The conditions on components of one type. */
export interface ZoneFilter {
  readonly type: EntryType;
  readonly conditions: FilterNode;
}

/** Returns the members of `on` if it is the only key of a filter on a dynamic zone; null for another form. */
export function membersOfOn(node: FilterNode): readonly AttributeNode[] | null {
  if (node.kind !== 'group' || node.members.length !== 1) return null;
  const [{ kind, key, value }] = node.members;
  if (kind !== 'attribute' || key !== 'on' || value.kind !== 'group') return null;
  const members = value.members.filter((member) => member.kind === 'attribute');
  return members.length === value.members.length && members.length > 0 ? members : null;
}

/** Returns what `on` asks of each type. Throws for another form and for components that the zone does not have. */
export function readZoneFilters(
  { schema }: Binding,
  { param, url }: Part,
  { components, name }: PolymorphicAttribute,
  { value, path }: AttributeNode,
): readonly ZoneFilter[] {
  const rejected = (key: string, at: string, expected: string, given: unknown) => {
    const details = { key, path: at, source: 'query', param, value: given };
    return new ValidationError(`Invalid key ${preview(key)} at ${preview(at)} in ${url}: ${expected}`, details);
  };
  const members = membersOfOn(value);
  const known = components!.join(', ');
  if (!members) {
    const on = value.kind === 'group' ? value.members.find(({ key }) => key === 'on') : undefined;
    const expected = `a dynamic zone takes conditions on its components as [on][${components![0]}]`;
    throw rejected(name, path, expected, (on?.value ?? value).raw);
  }
  return members.map(({ key, value: conditions }): ZoneFilter => {
    const at = childPath(path, key);
    if (!components!.includes(key)) {
      throw rejected(key, at, `the dynamic zone has no such component (known: ${known})`, conditions.raw);
    }
    if (conditions.kind !== 'group') {
      throw rejected(key, at, 'expected conditions on the attributes of the component', conditions.raw);
    }
    return { type: schema.type(key), conditions };
  });
}
