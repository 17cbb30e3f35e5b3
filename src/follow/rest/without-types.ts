import type { AttributeDefinition } from '../../model/schema/type-definition.ts';
import type { DefinitionLine } from './read-definitions.ts';

/** Returns definitions without the given types of the project, and without attributes of it that lead to one of them. */
export function withoutTypes(definitions: readonly DefinitionLine[], hidden: ReadonlySet<string>): DefinitionLine[] {
  const leadsAway = ({ type, target }: AttributeDefinition) =>
    type === 'relation' && typeof target === 'string' && hidden.has(target);
  return definitions
    .filter(({ uid }) => !hidden.has(uid) || !uid.startsWith('api::'))
    .map((line) => (line.uid.startsWith('plugin::') ? line : withoutAttributes(line, leadsAway)));
}

function withoutAttributes(
  line: DefinitionLine,
  isLeftOut: (attribute: AttributeDefinition) => boolean,
): DefinitionLine {
  const kept = Object.entries(line.attributes).filter(([, attribute]) => !isLeftOut(attribute));
  return { ...line, attributes: Object.fromEntries(kept) };
}
