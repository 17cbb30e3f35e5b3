import { type Attribute, type ContentType, type Snapshot, Unspecified } from './snapshot.ts';

/** A content type or a component. */
export interface Type {
  uid: string;
  kind: 'collectionType' | 'singleType' | 'component';
  singularName: string;
  pluralName: string;
  drafts: boolean;
  localized: boolean;
  attributes: Record<string, Attribute>;
}

export const FILE = 'plugin::upload.file';
export const USER = 'plugin::users-permissions.user';

const scalarTypes =
  'string text richtext blocks enumeration email password uid date time datetime timestamp integer biginteger float decimal boolean json array'.split(
    ' ',
  );

export function isScalar(attribute: Attribute): boolean {
  return scalarTypes.includes(attribute.type);
}

/** Private attributes and passwords do not exist for a caller. */
export function isHidden(attribute: Attribute): boolean {
  return attribute.private === true || attribute.type === 'password';
}

export function isPolymorphic(attribute: Attribute): boolean {
  return attribute.relation === 'morphToOne' || attribute.relation === 'morphToMany';
}

/** Whether a populated attribute is a list. */
export function isMany(attribute: Attribute): boolean {
  if (attribute.type === 'media') return attribute.multiple === true;
  if (attribute.type === 'component') return attribute.repeatable === true;
  if (attribute.type === 'dynamiczone') return true;
  return attribute.relation!.endsWith('ToMany') || attribute.relation === 'morphMany';
}

/** The attributes that every entry has beside its own, and the virtual relation of localized types. */
export function attributeOf(type: Type, name: string): Attribute | undefined {
  if (name === 'id') return { type: 'integer' };
  if (type.kind !== 'component') {
    if (name === 'documentId') return { type: 'string' };
    if (name === 'createdAt' || name === 'updatedAt' || name === 'publishedAt') return { type: 'datetime' };
    if (name === 'locale' && type.localized) return { type: 'string' };
    if (name === 'localizations' && type.localized) {
      return { type: 'relation', relation: 'oneToMany', target: type.uid };
    }
  }
  return Object.hasOwn(type.attributes, name) ? type.attributes[name] : undefined;
}

/** Every scalar that an entry or a component is served with, `id` and `documentId` left out. */
export function servedNames(type: Type): string[] {
  const names = Object.keys(type.attributes).filter((name) => {
    const attribute = type.attributes[name]!;
    return isScalar(attribute) && !isHidden(attribute);
  });
  if (type.kind === 'component') return names;
  names.push('createdAt', 'updatedAt', 'publishedAt');
  if (type.localized) names.push('locale');
  return names;
}

/** Every attribute that `populate=*` names. */
export function populatableNames(type: Type): string[] {
  if (type.uid === FILE || type.uid === USER) throw new Unspecified(`populate=* of ${type.uid}`);
  const names = Object.keys(type.attributes).filter((name) => {
    const attribute = type.attributes[name]!;
    return !isScalar(attribute) && !isHidden(attribute);
  });
  if (type.localized) names.push('localizations');
  return names;
}

function attributes(list: string): Record<string, Attribute> {
  return Object.fromEntries(list.split(' ').map((item) => [item.split(':')[0], { type: item.split(':')[1]! }]));
}

const builtIn: ContentType[] = [
  {
    uid: FILE,
    info: { singularName: 'file', pluralName: 'files', displayName: 'File' },
    attributes: attributes(
      'name:string alternativeText:text caption:text focalPoint:json width:integer height:integer formats:json hash:string ext:string mime:string size:decimal url:text previewUrl:text provider:string provider_metadata:json',
    ),
  },
  {
    uid: USER,
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: attributes(
      'username:string email:email provider:string password:password confirmed:boolean blocked:boolean',
    ),
  },
];

/** All content types by uid, the two built-in ones included. */
export function contentTypes(snapshot: Snapshot): Record<string, Type> {
  const types: Record<string, Type> = {};
  for (const definition of [...builtIn, ...snapshot.contentTypes]) {
    const { singularName, pluralName } = definition.info;
    const uid = definition.uid ?? `api::${singularName}.${singularName}`;
    types[uid] = {
      uid,
      kind: definition.kind ?? 'collectionType',
      singularName,
      pluralName,
      drafts: definition.options?.draftAndPublish === true,
      localized: definition.pluginOptions?.i18n?.localized === true,
      attributes: definition.attributes,
    };
  }
  return types;
}

export function componentTypes(snapshot: Snapshot): Record<string, Type> {
  const types: Record<string, Type> = {};
  for (const [uid, definition] of Object.entries(snapshot.components ?? {})) {
    types[uid] = {
      uid,
      kind: 'component',
      singularName: uid,
      pluralName: uid,
      drafts: false,
      localized: false,
      attributes: definition.attributes,
    };
  }
  return types;
}
