/** Loads an unencrypted Strapi export into a store. */
import type { Problems } from '../../core/problems.ts';
import { isAdministration } from '../../model/schema/schema.ts';
import type { TypeDefinition } from '../../model/schema/type-definition.ts';
import { exportedType } from '../definitions.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { assetsOf } from '../uploaded-files.ts';
import { validate } from '../validate.ts';
import { ExportLines } from './export-lines.ts';
import { loadStrapiContent, type StrapiContent } from './strapi-content.ts';

/** Duplicate entries are always an error, because each of them replaces an entry that the export lacks. */
const duplicateHint =
  ': "strapi export" may duplicate entries of large PostgreSQL tables and omit others; ' +
  'run ALTER SYSTEM SET synchronize_seqscans = off and export again';

export async function loadStrapiExport(
  path: string,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const types: TypeDefinition[] = [];
  const lines = await ExportLines.open(path, problems, (value, location) => {
    const definition = readDefinition(value, location, problems);
    if (definition) types.push(definition);
  });
  if (types.every(({ uid }) => isAdministration(uid))) {
    problems.add(path, 'not a Strapi export: it has no schemas/*.jsonl');
  }
  const content: StrapiContent = {
    strapiVersion: lines.strapiVersion,
    types,
    duplicateHint,
    has: (stage) => lines.has(stage),
    each: (stage, take) => lines.each(stage, take),
    uploadedFiles: (names) => assetsOf(path, lines.root, names),
  };
  return loadStrapiContent(content, path, problems, options);
}

/** Reads a content type or component as exports hold it. Returns null and reports it if it is none. */
export function readDefinition(
  value: Record<string, unknown>,
  location: string,
  problems: Problems,
): TypeDefinition | null {
  const type = validate(exportedType, value, location, problems);
  if (!type) return null;
  const definition = value as unknown as TypeDefinition;
  return { ...definition, location: `${location}, type ${type.uid}`, component: value.modelType === 'component' };
}
