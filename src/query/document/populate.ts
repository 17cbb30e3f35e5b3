/** `populate` by the strict rules: every name must exist, be accessible to the caller and lead on. */
import { type Attribute, type EntryType, isScalar } from '../../model/schema/schema.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import { leadsToOneType, zoneLeadsOn } from '../bind/populate/bind-paths.ts';
import type {
  PopulateCheckPolicy,
  PopulatePath,
  PopulateResultPolicy,
  PopulateSyntaxPolicy,
} from '../bind/populate/populate-policies.ts';
import { childPath, type Path, populatePart } from '../syntax/location.ts';
import { optionsNode, type PathsNode } from '../syntax/populate-nodes.ts';
import { documentErrors as errors, unknownInZone } from './errors.ts';

export const documentPopulateSyntax: PopulateSyntaxPolicy = {
  rewrite: (_context, _type, node) => node,
  readPaths,
  checkLength: () => {},
  starOptions: (_context, _target, place) => optionsNode({ populate: '*' }, place),
  readOn: (_attribute, on) => on.entries,
};

export const documentPopulateChecks: PopulateCheckPolicy<BindingContext> = {
  ignoresKey: () => false,
  ignoresOption: () => false,
  checksPrivateOptions: () => false,
  checksUnreadableOptions: false,
  acceptsAnyCount: () => false,
  acceptsType: (uid, components) => !components || components.includes(uid),
};

export const documentPopulateResult: PopulateResultPolicy = {
  leavesOut: () => false,
  leavesOutUnreadable: () => false,
  servesEveryStatus: () => false,
  wrapsFiltered: true,
};

function readPaths(context: BindingContext, type: EntryType, node: PathsNode): PopulatePath[] {
  const { items, place, raw } = node;
  if (items === null) throw errors.wrongPopulate(place, raw);
  const paths = items.flatMap((item) => item.paths);
  for (const names of paths) context.budget.checkDepth('populate', names);
  if (place.path !== null && items.some((item) => item.paths.length === 0)) {
    throw wrongName(context, type, '', place.path, node, raw);
  }
  for (const item of items) for (const names of item.paths) checkPath(context, type, names, node, item.text);
  return paths.map((names) => ({ names, ofRequestedStatus: false }));
}

/**
 * Throws unless every name is that of a link that the caller may know of. What follows a relation that the caller may
 * not follow is not checked.
 */
function checkPath(
  context: BindingContext,
  root: EntryType,
  names: readonly string[],
  node: PathsNode,
  text: string,
): void {
  const { schema } = context;
  let type = root;
  let parent: Path = node.place.path;
  for (const [i, name] of names.entries()) {
    const attribute = type.attributes.get(name);
    if (!attribute || attribute.private || isScalar(attribute)) {
      throw wrongName(context, type, name, parent, node, text);
    }
    if (i === names.length - 1) return;
    if (attribute.kind === 'dynamiczone') {
      const counts = (each: Attribute) => !each.private && !isScalar(each);
      if (zoneLeadsOn(schema, attribute, names.slice(i + 1), counts)) return;
      throw unknownInZone(populatePart(node.place), names[i + 1], childPath(parent, name), text);
    }
    if (!leadsToOneType(attribute)) throw wrongName(context, type, name, parent, node, text);
    if (!mayFollow(context, attribute)) return;
    type = schema.type(attribute.target);
    parent = childPath(parent, name);
  }
}

function wrongName(
  context: BindingContext,
  type: EntryType,
  name: string,
  parent: Path,
  { place }: PathsNode,
  value: unknown,
) {
  return errors.wrongName(context, type, { part: populatePart(place), name, parent, use: 'populate', value });
}
