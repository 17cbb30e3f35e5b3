import { formatNumber } from '../core/format-number.ts';
import type { Problems } from '../core/problems.ts';
import type { TypeDefinition } from '../model/schema/type-definition.ts';
import { limits } from './limits.ts';

/** Throws a SnapshotError if the number of types or attributes exceeds a limit. */
export function checkDefinitionLimits(definitions: readonly TypeDefinition[], problems: Problems): void {
  const before = problems.count;
  if (definitions.length > limits.types) {
    const message = `${formatNumber(definitions.length)} content types and components; the limit is ${formatNumber(limits.types)}`;
    problems.add('', message);
  }
  let all = 0;
  for (const { location, attributes } of definitions) {
    const count = Object.keys(attributes).length;
    all += count;
    if (count <= limits.attributes) continue;
    problems.add(location, `${formatNumber(count)} attributes; the limit is ${formatNumber(limits.attributes)}`);
  }
  if (all > limits.allAttributes) {
    problems.add(
      '',
      `${formatNumber(all)} attributes in all types; the limit is ${formatNumber(limits.allAttributes)}`,
    );
  }
  if (problems.count > before) problems.throwIfAny();
}
