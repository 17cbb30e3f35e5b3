/** Validates the files of a JSON snapshot other than entries: settings, roles, content types and components. */
import { basename } from 'node:path';
import type { z } from 'zod';
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import {
  reservedInComponents,
  reservedInTypes,
  systemNames,
  type TypeDefinition,
} from '../../model/schema/type-definition.ts';
import {
  attributeKeys,
  builtInTypes,
  checkDefinitionLimits,
  componentFile,
  contentTypeFile,
  isBuiltIn,
  rolesFile,
  rolesObject,
  settingsFile,
} from '../definitions.ts';
import { readDefinition } from '../strapi/strapi-export.ts';
import { type JsonSource, type RawPart, settingsLocation } from './json-source.ts';

interface Definitions {
  /** Null if the file is invalid. */
  readonly settings: z.output<typeof settingsFile> | null;
  readonly roles: readonly RoleDefinition[];
  /** The content types and components, with the built-in ones. */
  readonly types: readonly TypeDefinition[];
}

/** Reports invalid files. Throws a SnapshotError if there are too many types or attributes. */
export function readDefinitions(source: JsonSource, problems: Problems): Definitions {
  const location = settingsLocation(source);
  const settings = validate(settingsFile, source.settings?.value ?? {}, location, problems);
  const roles = source.roles && readRoles(source.roles, problems);
  if (settings?.inferred) source.inferred = settings.inferred;
  const types = settings?.strapi ? readStrapiTypes(source, problems) : readTypes(source, problems);
  checkDefinitionLimits(types, problems);
  return { settings, roles: roles ?? [], types: inOrder(types, settings?.types) };
}

/** Returns the types in the order of a list of uids. Others come last. */
function inOrder(types: readonly TypeDefinition[], uids: readonly string[] | undefined): readonly TypeDefinition[] {
  if (!uids) return types;
  const numbers = new Map(uids.map((uid, number) => [uid, number]));
  const numberOf = ({ uid }: TypeDefinition) => numbers.get(uid) ?? uids.length;
  return [...types].sort((one, other) => numberOf(one) - numberOf(other));
}

/** Returns the definitions of a Strapi, which are complete: they are read as those of an export. */
function readStrapiTypes({ contentTypes, components, unreadable }: JsonSource, problems: Problems): TypeDefinition[] {
  const read = (part: RawPart, component: boolean) => {
    const { location } = part;
    const value = isPlainObject(part.value) ? part.value : {};
    const definition = readDefinition(value, location, problems);
    if (!definition) unreadable.add(nameOf(part));
    return definition ? [{ ...definition, component }] : [];
  };
  return [...contentTypes.flatMap((part) => read(part, false)), ...components.flatMap((part) => read(part, true))];
}

function readRoles({ location, value }: RawPart, problems: Problems): RoleDefinition[] | null {
  if (isPlainObject(value)) return validate(rolesObject, value, location, problems)?.roles ?? null;
  return validate(rolesFile, value, location, problems);
}

/** Names of built-in routes. Content types cannot use them. */
const reservedRoutes = new Set(['upload', 'users', 'i18n', 'users-permissions', 'content-type-builder']);

function readTypes(source: JsonSource, problems: Problems): TypeDefinition[] {
  const definitions: TypeDefinition[] = [];
  const added = new Map<string, TypeDefinition>();
  const names = new Map<string, string>();
  const isInferred = source.inferred !== undefined;
  for (const part of source.contentTypes) {
    const { location } = part;
    const file = readType(contentTypeFile, part, isInferred ? systemNames : reservedInTypes, problems);
    if (!file) {
      source.unreadable.add(nameOf(part));
      continue;
    }
    const { singularName, pluralName } = file.info ?? {};
    const uid = file.uid ?? (singularName ? `api::${singularName}.${singularName}` : '');
    if (!uid) problems.add(location, 'info.singularName is missing');
    const definition = { ...file, uid, location, component: false };
    if (isBuiltIn(uid)) {
      added.set(uid, definition);
      continue;
    }
    definitions.push(definition);
    for (const name of [singularName, pluralName]) {
      if (name === undefined) continue;
      if (reservedRoutes.has(name.toLowerCase()) && !(isInferred && name === 'users')) {
        problems.add(location, `the name ${preview(name)} is reserved for a built-in route`);
      }
      if (names.has(name)) problems.add(location, `the name ${preview(name)} is taken by ${names.get(name)}`);
      names.set(name, location);
    }
  }
  for (const part of source.components) {
    const file = readType(componentFile, part, reservedInComponents, problems);
    if (file) definitions.push({ ...file, uid: part.uid, location: part.location, component: true });
    else source.unreadable.add(part.uid);
  }
  return [...builtInTypes(added, !isInferred), ...definitions];
}

/** Returns the singular name of an invalid content type, or the name of its file. */
function nameOf({ location, value }: RawPart): string {
  const info = isPlainObject(value) && isPlainObject(value.info) ? value.info : {};
  return typeof info.singularName === 'string' ? info.singularName : basename(location, '.json');
}

/** Returns the file of a type, or null if it is invalid. Attributes cannot have the `reserved` names. */
function readType<T extends { attributes: Record<string, object> }>(
  schema: z.ZodType<T>,
  { location, value }: RawPart,
  reserved: ReadonlySet<string>,
  problems: Problems,
): T | null {
  // zod would drop it silently
  if (isPlainObject(value) && isPlainObject(value.attributes) && Object.hasOwn(value.attributes, '__proto__')) {
    problems.add(`${location}, attribute __proto__`, 'the name is not allowed, because JavaScript reserves it');
  }
  const file = validate(schema, value, location, problems);
  if (file) checkAttributes(file.attributes, reserved, location, problems);
  return file;
}

/** Reports reserved names and unknown keys. A misspelled `private` would expose the attribute. */
function checkAttributes(
  attributes: Record<string, object>,
  reserved: ReadonlySet<string>,
  location: string,
  problems: Problems,
): void {
  for (const [name, definition] of Object.entries(attributes)) {
    if (reserved.has(name)) {
      problems.add(
        `${location}, attribute ${name}`,
        'the name is reserved for an attribute of every entry or component',
      );
    }
    for (const key of Object.keys(definition ?? {})) {
      if (attributeKeys.has(key)) continue;
      problems.add(`${location}, attribute ${name}`, `unknown key ${preview(key)}${didYouMean(key, attributeKeys)}`);
    }
  }
}
