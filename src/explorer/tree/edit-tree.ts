/** The edits of the tree: at any depth, also below `populate=*` and below what is not populated yet. */
import type { SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import { selectionAt, toggleField, togglePopulated, unfoldPopulated, withCount, withFields } from '../query/edit.ts';
import type { ExploredQuery, Selection } from '../query/explored-query.ts';
import { fieldNames, linkNames, targetOf } from '../state/schema-index.ts';

/** A place in the tree: the attributes that lead there, and the type of what is there. */
export interface TreePlace {
  readonly at: readonly string[];
  readonly type: TypeDescription;
}

/** Returns the place of the entry itself, and of each populated attribute on the way to `at`. */
function placesTo(schema: SchemaDescription, root: TypeDescription, at: readonly string[]): TreePlace[] {
  const places: TreePlace[] = [{ at: [], type: root }];
  for (const [i, name] of at.entries()) {
    const attribute = places[i].type.attributes.find((each) => each.name === name);
    const type = attribute && targetOf(schema, attribute);
    if (!type) break;
    places.push({ at: at.slice(0, i + 1), type });
  }
  return places;
}

/** Names what `populate=*` stands for at each place above `at`, so that one of the names can change alone. */
function unfoldAbove(
  query: ExploredQuery,
  schema: SchemaDescription,
  root: TypeDescription,
  at: readonly string[],
): ExploredQuery {
  if (at.length === 0) return query;
  return placesTo(schema, root, at.slice(0, -1)).reduce(
    (edited, place) =>
      selectionAt(edited, place.at)?.populatesAll ? unfoldPopulated(edited, place.at, linkNames(place.type)) : edited,
    query,
  );
}

/** Shows a field of a place, or stops doing so. A place that is not populated yet shows this field only. */
export function toggleFieldAt(
  query: ExploredQuery,
  schema: SchemaDescription,
  root: TypeDescription,
  { at, type }: TreePlace,
  field: string,
): ExploredQuery {
  const unfolded = unfoldAbove(query, schema, root, at);
  if (!selectionAt(unfolded, at)) return withFields(unfolded, at, [field]);
  return toggleField(unfolded, at, field, fieldNames(type));
}

/** Shows all fields of a place (null), or only some. */
export function setFieldsAt(
  query: ExploredQuery,
  schema: SchemaDescription,
  root: TypeDescription,
  { at }: TreePlace,
  fields: readonly string[] | null,
): ExploredQuery {
  return withFields(unfoldAbove(query, schema, root, at), at, fields);
}

/** Populates an attribute of a place, or stops doing so. */
export function togglePopulatedAt(
  query: ExploredQuery,
  schema: SchemaDescription,
  root: TypeDescription,
  { at, type }: TreePlace,
  attribute: string,
): ExploredQuery {
  const unfolded = unfoldAbove(query, schema, root, at);
  return togglePopulated(unfolded, at, attribute, linkNames(type));
}

/** Shows the number of entries that an attribute of a place leads to, or the entries. */
export function setCountAt(
  query: ExploredQuery,
  schema: SchemaDescription,
  root: TypeDescription,
  { at, type }: TreePlace,
  attribute: string,
  count: boolean,
): ExploredQuery {
  const unfolded = unfoldAbove(query, schema, root, at);
  const named = selectionAt(unfolded, at)?.populatesAll ? unfoldPopulated(unfolded, at, linkNames(type)) : unfolded;
  return withCount(named, at, attribute, count);
}

/** Returns whether a selection shows a field. */
export function showsField(selection: Selection | null, field: string): boolean {
  return selection !== null && (selection.fields === null || selection.fields.includes(field));
}

/** Returns whether a selection populates an attribute. */
export function populates(selection: Selection | null, attribute: string): boolean {
  return (
    selection !== null && (selection.populatesAll || selection.populate.some((each) => each.attribute === attribute))
  );
}
