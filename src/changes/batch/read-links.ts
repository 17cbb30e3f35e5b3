import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { describeInvalidKey } from '../../load/entry-writer.ts';
import {
  type EntryType,
  isAdministration,
  isLocalizations,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
} from '../../model/schema/schema.ts';
import { rowOfId } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import type { BatchLinks, LinkTarget } from './batch.ts';
import type { ChangedRows } from './changed-rows.ts';
import { areSameLinks, ownsLinks, storedLinks } from './stored-links.ts';

/**
 * Returns the lists of links of a batch that differ from the store. Reports lists of attributes that are no relations
 * or media or do not own their links, and links from or to entries that do not exist after the batch. Leaves out
 * attributes whose links are not stored.
 */
export function* readLinksInSteps(
  rows: ChangedRows,
  lists: readonly BatchLinks[],
  problems: Problems,
): Steps<BatchLinks[]> {
  const { store } = rows;
  const seen = new Set<string>();
  const changed: BatchLinks[] = [];
  for (const [i, list] of lists.entries()) {
    yield;
    const { type: uid, id, attribute: name } = list;
    const location = `links[${i}], ${uid} ${id}, attribute ${name}`;
    const key = `${uid} ${id} ${name}`;
    if (seen.has(key)) problems.add(location, 'the batch names the list twice');
    seen.add(key);
    const type = store.schema.types.get(uid);
    if (!type || isAdministration(uid)) {
      problems.add(location, `there is no type ${preview(uid)}`);
      continue;
    }
    const attribute = attributeOf(rows, type, name, location, problems);
    if (!attribute) continue;
    if (!rows.has(uid, id)) {
      problems.add(location, `no ${type.singularName} with id ${id}`);
      continue;
    }
    if (!isLocalizations(attribute) && !store.schema.storesLinks(attribute)) continue;
    const before = problems.count;
    const targets: LinkTarget[] = [];
    for (const [at, target] of list.targets.entries()) {
      targets.push(readTarget(rows, attribute, target, `${location}, targets[${at}]`, problems));
      yield;
    }
    if (problems.count > before) continue;
    const row = rowOfId(segmentOf(store, uid), id);
    const stored = row === undefined ? [] : storedLinks(store, type, attribute, row);
    if (!areSameLinks(stored, targets)) changed.push({ ...list, targets });
  }
  return changed;
}

/** Returns the attribute of a list. Returns null and reports the problem if it owns no links. */
function attributeOf(
  { store }: ChangedRows,
  type: EntryType,
  name: string,
  location: string,
  problems: Problems,
): LinkAttribute | null {
  const attribute = type.attributes.get(name);
  if (!attribute) problems.add(location, 'there is no such attribute');
  else if (isScalar(attribute)) problems.add(location, 'the attribute holds a value, not links');
  else if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
    problems.add(location, 'components are part of "data" of their entry');
  } else if (ownsLinks(store, type.uid, attribute)) return attribute;
  else problems.add(location, describeInvalidKey(type, name, attribute)?.() ?? 'the attribute owns no links');
  return null;
}

function readTarget(
  rows: ChangedRows,
  attribute: LinkAttribute,
  target: LinkTarget,
  location: string,
  problems: Problems,
): LinkTarget {
  const { type: uid, id, position, inverse } = target;
  const type = rows.store.schema.types.get(uid);
  if (!type || type.kind === 'component' || isAdministration(uid)) {
    problems.add(location, `${preview(uid)} is no content type`);
  } else if (!isPolymorphic(attribute) && attribute.target !== uid) {
    problems.add(location, `the attribute targets ${attribute.target}, not ${uid}`);
  } else if (!rows.has(uid, id)) problems.add(location, `no ${type.singularName} with id ${id}`);
  else if (inverse !== undefined && !(isPolymorphic(attribute) && attribute.many)) {
    problems.add(location, '"inverse" needs a polymorphic list');
  } else if (inverse && !type.attributes.has(inverse)) {
    problems.add(location, `${uid} has no attribute ${preview(inverse)} to show the link`);
  }
  // without an inverse attribute, nothing lists the sources of a target
  const isOneWay = isRelation(attribute) && attribute.inverse === null && !isLocalizations(attribute);
  const inversePosition = isOneWay ? 0 : target.inversePosition;
  return {
    type: uid,
    id,
    position: position + 0,
    inversePosition: inversePosition + 0,
    ...(inverse === undefined ? {} : { inverse }),
  };
}
