/** The content models of the projects of test/load/project/. */
import { fileURLToPath } from 'node:url';
import type { RecordedProject } from '../../load/project/recorded-projects.ts';
import { modelOf } from '../magazine/model.ts';
import { components } from '../model/components.ts';
import { contentTypes } from '../model/content-types.ts';
import type { Model, SchemaFile } from '../model/definitions.ts';
import { archive } from './archive.ts';

const demo = fileURLToPath(new URL('../../../data/demo', import.meta.url));

export function modelsOfProjects(): Record<RecordedProject, Model> {
  return { museum: { contentTypes, components }, magazine: simplified(modelOf(demo)), archive };
}

/**
 * The model without limits on values, because random ones do not keep them, and without `morphMany`, because Strapi 5.54
 * fails to publish some of the entries that have it.
 */
function simplified({ contentTypes, components, sources }: Model): Model {
  const rules = new Set(['min', 'max', 'minLength', 'maxLength', 'regex', 'required', 'unique', 'default']);
  const isDropped = (key: string, part: unknown) =>
    rules.has(key) || (part as { relation?: unknown } | null)?.relation === 'morphMany';
  const text = (value: unknown) => JSON.stringify(value, (key, part) => (isDropped(key, part) ? undefined : part));
  const free = ({ path, schema }: SchemaFile) => ({ path, schema: JSON.parse(text(schema)) });
  return { contentTypes: contentTypes.map(free), components: components.map(free), sources };
}
