import type { Problems } from '../../core/problems.ts';
import { creatorNames, systemNames, timestampNames } from './names.ts';
import { privateAttributeNames } from './privacy.ts';
import { readAttribute } from './read-attribute.ts';
import { type Attribute, administratorType, type EntryType, type ScalarType } from './schema.ts';
import type { TypeDefinition } from './type-definition.ts';

/** Returns a type with the attributes of its definition and those that every type has. */
export function readType(definition: TypeDefinition, problems: Problems): EntryType {
  const { uid, location, component } = definition;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const attributes = new Map<string, Attribute>();
  const add = (attribute: Attribute) => attributes.set(attribute.name, attribute);

  add(scalar('id', 'integer'));
  if (!component) add(scalar('documentId', 'string'));
  const names = Object.keys(definition.attributes);
  const privates = privateAttributeNames(definition, new Set(component ? names : [...names, ...systemNames]), problems);
  if (localized && privates.has('locale')) {
    problems.add(`${location}, attribute locale`, '"privateAttributes" cannot hide the locale of a localized type');
  }
  for (const [name, raw] of Object.entries(definition.attributes)) {
    if (name === 'id' || (!component && systemNames.has(name))) continue;
    const attribute = readAttribute(name, raw, `${location}, attribute ${name}`, uid, problems);
    if (attribute) add(privates.has(name) ? { ...attribute, private: true } : attribute);
  }
  if (!component) {
    for (const name of timestampNames) add(scalar(name, 'datetime', privates.has(name)));
    add({ ...scalar('locale', 'string', !localized), searchable: false });
    add(relation('localizations', uid, !localized || privates.has('localizations')));
    const showsCreators = definition.options?.populateCreatorFields === true;
    for (const name of creatorNames) {
      const isPrivate = !showsCreators || privates.has(name);
      add({ ...relation(name, administratorType, isPrivate), many: false, owner: true });
    }
  }
  const bareName = uid.slice(uid.lastIndexOf('.') + 1);
  return {
    uid,
    kind: component ? 'component' : definition.kind === 'singleType' ? 'singleType' : 'collectionType',
    singularName: definition.info?.singularName ?? bareName,
    pluralName: definition.info?.pluralName ?? `${bareName}s`,
    draftAndPublish: definition.options?.draftAndPublish === true,
    localized,
    attributes,
  };
}

function scalar(name: string, type: ScalarType, isPrivate = false): Attribute & { kind: 'scalar' } {
  return { kind: 'scalar', name, type, private: isPrivate, searchable: true };
}

function relation(name: string, target: string, isPrivate: boolean): Attribute & { kind: 'relation' } {
  return { kind: 'relation', name, target, many: true, inverse: null, owner: false, private: isPrivate };
}
