import type { AttributeDefinition } from '../../model/type-definition.ts';
import type { DefinitionLine } from './read-definitions.ts';

/** Returns definitions without the given types of the project, and without public attributes that lead to one of them. */
export function withoutTypes(definitions: readonly DefinitionLine[], hidden: ReadonlySet<string>): DefinitionLine[] {
  const leadsAway = ({ type, target }: AttributeDefinition) =>
    type === 'relation' && typeof target === 'string' && hidden.has(target);
  return definitions
    .filter(({ uid }) => !hidden.has(uid) || !uid.startsWith('api::'))
    .map((line) => ({
      ...line,
      attributes: Object.fromEntries(Object.entries(line.attributes).filter(([, attribute]) => !leadsAway(attribute))),
    }));
}
