import { builtInTypes } from '../../src/load/definitions.ts';
import type { Stage } from '../../src/load/strapi/strapi-content.ts';
import { folderOf, lines } from '../exports/exports.ts';
import { isPolymorphic } from '../naive/types.ts';
import { type LinkTarget, type Model, PERMISSIONS, ROLES } from './model.ts';

/** Writes the content to a folder as `strapi export` does, each type in the order of ids. Returns its path. */
export function writeExport(model: Model): string {
  const { schemas, entities, links, configuration } = linesOf(model);
  return folderOf([
    ['metadata.json', JSON.stringify({ strapi: { version: '5.54.0' } })],
    ['schemas/schemas_00001.jsonl', lines(schemas)],
    ['entities/entities_00001.jsonl', lines(entities)],
    ['links/links_00001.jsonl', lines(links)],
    ['configuration/configuration_00001.jsonl', lines(configuration)],
  ]);
}

/** The content as the lines of an export by stage, each type in the order of ids. */
export function linesOf(model: Model): Record<Stage, object[]> {
  return {
    schemas: schemasOf(model),
    entities: entitiesOf(model),
    links: linksOf(model),
    configuration: configurationOf(model),
  };
}

function schemasOf({ snapshot: { contentTypes, components = {} } }: Model): object[] {
  const permission = {
    uid: PERMISSIONS,
    info: { singularName: 'permission', pluralName: 'permissions' },
    attributes: { action: { type: 'string' }, role: { type: 'relation', relation: 'manyToOne', target: ROLES } },
  };
  const builtIn = builtInTypes(new Map()).map(({ location: _, component: __, ...definition }) => definition);
  const own = contentTypes.map((type) => ({
    uid: `api::${type.info.singularName}.${type.info.singularName}`,
    kind: 'collectionType',
    ...type,
  }));
  return [
    ...builtIn,
    permission,
    ...own,
    ...Object.entries(components).map(([uid, { attributes }]) => ({ uid, modelType: 'component', attributes })),
  ];
}

function entitiesOf({ entities }: Model): object[] {
  return Array.from(entities, ([type, rows]) =>
    Array.from(rows, ([id, data]) => ({ type, id, data })).sort((a, b) => a.id - b.id),
  ).flat();
}

function linksOf(model: Model): object[] {
  return Array.from(model.links, ([row, lists]) => {
    const [type, ref] = row.split(' ');
    return Array.from(lists, ([field, targets]) => {
      return targets.map((target) => lineOf(model, { type: type!, ref: Number(ref), field }, target));
    }).flat();
  }).flat();
}

/** Strapi writes the links of media from the side of the file, and both positions of a polymorphic link as one. */
function lineOf(model: Model, owner: { type: string; ref: number; field: string }, target: LinkTarget): object {
  const { type, id, position, inversePosition, inverse } = target;
  const attribute = model.attributesOf(owner.type)[owner.field]!;
  if (attribute.type === 'media') {
    return { kind: 'relation.morph', left: { type, ref: id, field: 'related' }, right: { ...owner, pos: position } };
  }
  const right = { type, ref: id, pos: isPolymorphic(attribute) ? position : inversePosition };
  if (isPolymorphic(attribute)) return { kind: 'relation.morph', left: owner, right: { ...right, field: inverse } };
  const field = attribute.inversedBy;
  return { kind: 'relation.basic', left: { ...owner, pos: position }, right: { ...right, field } };
}

function configurationOf({ snapshot }: Model): object[] {
  const value = JSON.stringify(snapshot.settings?.defaultLocale ?? 'en');
  return [{ type: 'core-store', value: { key: 'plugin_i18n_default_locale', value } }];
}
