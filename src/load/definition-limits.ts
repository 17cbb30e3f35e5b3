import type { Problems } from '../base/problems.ts';
import type { TypeDefinition } from '../model/read-schema.ts';
import { limits } from './limits.ts';

/** Throws a SnapshotError for more types or attributes than the program is made for. */
export function checkExtentOfTypes(definitions: readonly TypeDefinition[], problems: Problems): void {
  const said = (count: number) => count.toLocaleString('en-US');
  if (definitions.length > limits.types) {
    const what = `${said(definitions.length)} content types and components; the limit is ${said(limits.types)}`;
    problems.add('', what);
  }
  let all = 0;
  for (const { place, attributes } of definitions) {
    const count = Object.keys(attributes).length;
    all += count;
    if (count <= limits.attributes) continue;
    problems.add(place, `${said(count)} attributes; the limit is ${said(limits.attributes)}`);
  }
  if (all > limits.allAttributes) {
    problems.add('', `${said(all)} attributes in all types; the limit is ${said(limits.allAttributes)}`);
  }
  problems.throwIfAny();
}
